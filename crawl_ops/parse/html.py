"""HTML and XHTML pages (Nutch's parse-html, with the web's rules where browsers have them)."""

import re

from lxml import etree

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.model import ParseStatus
from crawl_ops.parse.attributes import with_bounded_attributes
from crawl_ops.parse.charset import Decoded, decoded_page, python_name
from crawl_ops.parse.head import PageHead, read_head
from crawl_ops.parse.html_reader import HtmlReader
from crawl_ops.parse.html_sheet import page_sheet
from crawl_ops.parse.links import LinkResolver, http_url, page_url
from crawl_ops.parse.page import Page, Parsed
from crawl_ops.parse.templates import without_templates
from crawl_ops.parse.text import allowed, is_allowed

# libxml2 drops what stands after these end tags; the elements end with the page anyway.
_LAST_ENDS = re.compile(rb"</(?:html|body)(?=[\s/>])[^>]{0,1000}>", re.IGNORECASE)
_MARKS_TRIED = 100
_STOPS = frozenset(("ERR_RESOURCE_LIMIT", "ERR_NO_MEMORY", "ERR_INTERNAL_ERROR"))


class HtmlParser:
    """Parses HTML; `parse` never raises for what is in the page."""

    def __init__(self, config: CrawlConfig) -> None:
        self._config = config
        self._sheet = page_sheet(config)
        self._parser = etree.HTMLParser(encoding="utf-8", huge_tree=True)

    def parse(self, page: Page) -> Parsed:
        """Title, text, links and directives of a page."""
        decoded = decoded_page(page, self._config)
        reader, stopped = self._read(decoded)
        base = page_url(page.base_url)
        if reader.base is not None:
            base = http_url(base, reader.base) or base
        head = read_head(reader.head, page, base, self._config)
        parsed = Parsed(
            status=ParseStatus.SUCCESS,
            reason=stopped,
            title=reader.title or "",
            text=reader.text,
            charset=decoded.charset,
            content_type=page.content_type,
            base_url=base,
        )
        _add_links(parsed, reader, head, python_name(decoded.charset))
        head.apply(parsed)
        if stopped:
            parsed.metadata["parser.stopped"] = stopped
        if not reader.is_allowed:
            _purge(parsed)
        return parsed

    def _read(self, decoded: Decoded) -> tuple[HtmlReader, str | None]:
        data = without_templates(_LAST_ENDS.sub(b"", decoded.data))
        data = with_bounded_attributes(data)
        return self.read_markup(data)

    def read_markup(self, data: bytes) -> tuple[HtmlReader, str | None]:
        """Read UTF-8 markup; the second is why reading stopped early, if it did."""
        if not data or data.isspace():
            return HtmlReader(), None
        try:
            root = etree.fromstring(data, self._parser)
        except (etree.LxmlError, ValueError) as error:
            # Nothing but comments and the like is an empty page.
            empty = "empty" in str(error)
            return HtmlReader(), None if empty else f"malformed: {error}"[:200]
        if root is None:
            return HtmlReader(), None
        output = str(self._sheet(root))
        reader = HtmlReader(output)
        # Character references bring back what decoding has removed.
        reader.is_allowed = not _has_reference(data) or is_allowed(output)
        return reader, _stop(self._parser)


def _has_reference(data: bytes) -> bool:
    """Whether `&#` is in it: looked for by its rarer character, which takes an eighth."""
    at = data.find(b"#")
    for _ in range(_MARKS_TRIED):
        if at < 0:
            return False
        if data.startswith(b"&", at - 1, at):
            return True
        at = data.find(b"#", at + 1)
    return b"&#" in data


def _stop(parser: etree.HTMLParser) -> str | None:
    for entry in parser.error_log:
        if entry.type_name in _STOPS:
            return f"stopped in line {entry.line}: {entry.message}"[:200]
    return None


def _add_links(parsed: Parsed, reader: HtmlReader, head: PageHead, charset: str) -> None:
    resolver = LinkResolver(parsed.base_url, charset)
    parsed.outlinks_found = len(reader.links) + sum(reader.dropped.values())
    parsed.rejected = dict(reader.dropped)
    if head.nofollow:
        if reader.links:
            parsed.rejected["robots=nofollow"] = len(reader.links)
        return
    parsed.outlinks = resolver.resolve_all(reader.links)
    parsed.rejected |= resolver.rejected


def _purge(parsed: Parsed) -> None:
    parsed.title = allowed(parsed.title)
    parsed.text = allowed(parsed.text)
    for link in parsed.outlinks:
        link.anchor = allowed(link.anchor)
        link.rel = allowed(link.rel)
    parsed.metadata = {allowed(key): allowed(value) for key, value in parsed.metadata.items()}
