"""Office files: Word, Excel and PowerPoint since 2007 (OOXML), OpenDocument: XML in a zip."""

import io
import lzma
import re
import zipfile
import zlib
from collections.abc import Mapping

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.model import ParseStatus
from crawl_ops.parse.document import MAX_TEXT_LENGTH, Document
from crawl_ops.parse.links import MAX_LINKS
from crawl_ops.parse.page import Page, Parsed, unparsed
from crawl_ops.parse.text import MARK
from crawl_ops.parse.xml_reader import StopReadingError, read_xml, xml_as_utf8

MAX_PART_BYTES = 32 << 20
MAX_BYTES = 64 << 20
"""Of what a file unpacks to; a zip bomb is read so far and no further."""
MAX_PARTS = 2_000

_BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    NotImplementedError,
    RuntimeError,
    EOFError,
    OSError,
)
_TEXTS = re.compile(
    r"word/(?:document|footnotes|endnotes|comments)\.xml|ppt/(?:slides|notesSlides)/[^/]+\.xml"
    r"|xl/sharedStrings\.xml|xl/worksheets/[^/]+\.xml|content\.xml"
)
_ABOUT = ("docProps/core.xml", "meta.xml")
_NUMBER = re.compile(r"\d+")
_BLOCKS = frozenset(("p", "h", "tr", "row", "si", "br", "line-break", "table-row"))
_BLANKS = frozenset(("tab", "s"))
_LINKS = frozenset(("hyperlink", "a"))


class OfficeParser:
    """Title, language, text and links, whichever of the formats it is."""

    def __init__(self, config: CrawlConfig) -> None:
        self._config = config

    def parse(self, page: Page) -> Parsed:
        """What the file says."""
        try:
            with zipfile.ZipFile(io.BytesIO(page.content)) as archive:
                document = _Reading(archive).document()
        except _BROKEN as error:
            reason = f"office: no zip that can be read: {error}"[:200]
            return unparsed(page, ParseStatus.FAILED_INVALID_FORMAT, reason)
        if document is None:
            reason = "office: a zip without a document in it"
            return unparsed(page, ParseStatus.FAILED_INVALID_FORMAT, reason)
        return document.parsed(page, self._config)


class _Reading:
    """One file being read."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive
        self._left = MAX_BYTES
        self._found = Document()

    def document(self) -> Document | None:
        names = self._archive.namelist()
        texts = sorted(filter(_TEXTS.fullmatch, names), key=_in_order)
        if not texts:
            return None
        found = self._found
        for name in filter(names.__contains__, _ABOUT):
            about = _About()
            self._read(name, about)
            found.title, found.language = about.title, about.language
        for name in texts[:MAX_PARTS]:
            links = self._links_of(name) if name != "content.xml" else {}
            self._read(name, _Text(found, links, name == "content.xml"))
            found.links += [(target, "") for target in links.values()]
        if len(texts) > MAX_PARTS:
            found.stopped = found.stopped or f"only the first {MAX_PARTS} parts"
        return found

    def _links_of(self, name: str) -> dict[str, str]:
        folder, _, file = name.rpartition("/")
        links = f"{folder}/_rels/{file}.rels"
        reader = _Relations()
        if links in self._archive.NameToInfo:
            self._read(links, reader)
        return reader.targets

    def _read(self, name: str, reader: "_About | _Text | _Relations") -> None:
        with self._archive.open(name) as part:
            content = part.read(min(MAX_PART_BYTES, self._left) + 1)
        self._left -= len(content)
        cut = len(content) > MAX_PART_BYTES or self._left < 0
        data, _ = xml_as_utf8(content, cut=cut)
        reason = read_xml(data, reader)
        if cut:
            reason = "it unpacks to more than is read"
            self._left = max(self._left, 0)
        if reason and self._found.stopped is None:
            self._found.stopped = f"{name}: {reason}"[:200]


def _in_order(name: str) -> tuple[list[int], str]:
    return [int(number) for number in _NUMBER.findall(name[:200])], name


class _About:
    """Reads title and language out of a document's properties."""

    def __init__(self) -> None:
        self.title = ""
        self.language: str | None = None
        self._parts: list[str] = []
        self.data = self._parts.append

    def start(self, _: str, __: Mapping[str, str]) -> None:
        self._parts.clear()

    def end(self, name: str) -> None:
        text = "".join(self._parts).strip()
        if name == "title" and not self.title:
            self.title = text
        elif name == "language" and text:
            self.language = text
        self._parts.clear()


class _Relations:
    """Reads where the links of an OOXML part lead, by their ids."""

    def __init__(self) -> None:
        self.targets: dict[str, str] = {}

    def data(self, _: str) -> None:
        """There is none."""

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        is_link = attributes.get("Type", "").endswith("/hyperlink")
        external = attributes.get("TargetMode", "").lower() == "external"
        if name == "relationship" and is_link and external and len(self.targets) < MAX_LINKS:
            self.targets[attributes.get("Id", "")] = attributes.get("Target", "")

    def end(self, _: str) -> None:
        """Nothing to do."""


class _Text:
    """Reads text and links of one part into a document.

    OOXML keeps text in `t` elements, OpenDocument right in its paragraphs.
    """

    def __init__(self, found: Document, targets: dict[str, str], plain: bool) -> None:
        self._found = found
        self._targets = targets
        self._inside = 0
        self._plain = plain
        self._length = sum(map(len, found.parts))
        self._link: tuple[str, int] | None = None

    def data(self, text: str) -> None:
        if self._inside:
            self._length += len(text)
            if self._length > MAX_TEXT_LENGTH:
                raise StopReadingError("longer than what is kept")
            self._found.parts.append(text)

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        if name == "t" or (self._plain and name in ("p", "h")):
            self._inside += 1
        elif name in _LINKS:
            target = self._target(attributes)
            self._link = (target, len(self._found.parts)) if target else None

    def end(self, name: str) -> None:
        if name == "t" or (self._plain and name in ("p", "h")):
            self._inside -= 1
        elif name in _LINKS and self._link is not None:
            target, start = self._link
            self._found.links.append((target, "".join(self._found.parts[start:])))
            self._link = None
        if name in _BLOCKS:
            self._found.parts.append(MARK)
        elif name in _BLANKS:
            self._found.parts.append(" ")

    def _target(self, attributes: Mapping[str, str]) -> str | None:
        for name, value in attributes.items():
            local = name.rpartition("}")[2]
            if local == "id":
                return self._targets.pop(value, None)
            if local == "href" and not value.startswith("#"):
                # Relative links of OpenDocument are seen from inside the zip.
                return value.removeprefix("../")
        return None
