"""PDF files, where pypdf is installed (`pip install crawl-ops[documents]`)."""

import io
import logging
from collections.abc import Iterator
from time import monotonic
from typing import Any

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.model import ParseStatus
from crawl_ops.parse.document import MAX_TEXT_LENGTH, Document
from crawl_ops.parse.links import MAX_LINKS
from crawl_ops.parse.page import Page, Parsed, unparsed
from crawl_ops.parse.text import MARK

MAX_PAGES = 5_000
SHARE_OF_TIMEOUT = 0.5
"""Of parser.timeout: a page of a file cannot be stopped from here, so the rest is its reserve."""


class PdfParser:
    """Title, text and links of a PDF. A file that takes too long gives what was read until then."""

    def __init__(self, config: CrawlConfig) -> None:
        # What is wrong with a file is in its result; pypdf would also log it, line by line.
        logging.getLogger("pypdf").setLevel(logging.CRITICAL)
        self._config = config
        timeout_s = config.parser.timeout
        self._seconds = (timeout_s if timeout_s >= 0 else 300.0) * SHARE_OF_TIMEOUT

    def parse(self, page: Page) -> Parsed:
        """What the file says. What pypdf raises, whatever it is, fails this page alone."""
        from pypdf import PdfReader  # takes 150 ms, and most crawls meet none

        deadline = monotonic() + self._seconds
        reader = PdfReader(io.BytesIO(page.content), strict=False)
        if reader.is_encrypted and not reader.decrypt(""):
            return unparsed(page, ParseStatus.FAILED, "pdf: it is encrypted")
        document = Document(
            title=_text(_quietly(lambda: reader.metadata and reader.metadata.title))
        )
        document.language = _text(_quietly(lambda: reader.root_object.get("/Lang"))) or None
        document.stopped = _read(reader, document, deadline)
        return document.parsed(page, self._config)


def _read(reader: Any, document: Document, deadline: float) -> str | None:
    length = 0
    pages = len(reader.pages)
    for number in range(min(pages, MAX_PAGES)):
        if monotonic() > deadline:
            return f"stopped at page {number + 1} of {pages}: half of parser.timeout is over"
        page = reader.pages[number]
        text = _text(page.extract_text())
        document.parts += [text.replace("\n", MARK), MARK]
        document.links += [(target, "") for target in _links(page)]
        length += len(text)
        if length > MAX_TEXT_LENGTH or len(document.links) > MAX_LINKS:
            return f"stopped at page {number + 1} of {pages}: longer than what is kept"
    return f"only the first {MAX_PAGES} of {pages} pages" if pages > MAX_PAGES else None


def _links(page: Any) -> Iterator[str]:
    annotations = _quietly(lambda: page.get("/Annots"))
    for annotation in _quietly(lambda: list(annotations)[:MAX_LINKS]) or ():
        target = _quietly(lambda a=annotation: a.get_object()["/A"]["/URI"])
        if isinstance(target, bytes):
            target = target.decode("latin-1")
        if isinstance(target, str) and target:
            yield str(target)


def _quietly(read: Any) -> Any:
    """What `read` gives; None where the file is broken there: it may still have text."""
    try:
        found = read()
        return found.get_object() if hasattr(found, "get_object") else found
    except MemoryError:
        raise
    except Exception:  # noqa: BLE001  (pypdf raises anything on broken files)
        return None


def _text(value: Any) -> str:
    return value.replace("\0", "") if isinstance(value, str) else ""
