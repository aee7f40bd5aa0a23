"""Reading XML without trust: no entities, no DTD, no network, bounded, and as far as it goes.

A target is called with local names in lower case, whatever namespaces the document uses.
"""

import re
from collections.abc import Mapping
from typing import Any, Protocol, cast

from lxml import etree

from crawl_ops.parse.charset import decode, detect

MAX_DEPTH = 200
MAX_PROLOG_BYTES = 65_536

_DECLARATION = re.compile(rb"\A\s*<\?xml[^>]*>")
_PROLOG = re.compile(
    rb"(?:\s++|<\?[^>]*+>|<!--(?:(?!-->).)*+-->|<!DOCTYPE(?:[^>\[]|\[[^\]]*+\])*+>)*+",
    re.DOTALL | re.IGNORECASE,
)
_ROOT = re.compile(rb"<(?:[A-Za-z_][\w.-]*:)?([A-Za-z_][\w.-]*)")
_DOCTYPE = re.compile(
    rb"""<!DOCTYPE(?:"[^"]*+"|'[^']*+'|[^>\["']|
    \[(?:"[^"]*+"|'[^']*+'|<!--(?:(?!-->).)*+-->|[^\]"'])*+\])*+>""",
    re.IGNORECASE | re.DOTALL | re.VERBOSE,
)


class XmlTarget(Protocol):
    """What reads an XML document, element by element."""

    def start(self, name: str, attributes: Mapping[str, str]) -> None: ...

    def end(self, name: str) -> None: ...

    def data(self, text: str) -> None: ...


class StopReadingError(Exception):
    """A target has read enough."""


def xml_as_utf8(content: bytes, hint: str | None = None, cut: bool = False) -> tuple[bytes, str]:
    """The document as clean UTF-8 without its declaration, and the charset it was in."""
    charset = detect(content, hint, "utf-8", cut=cut)
    data, charset = decode(content, charset)
    return _DECLARATION.sub(b"", data.lstrip()).lstrip(), charset


def root_name(data: bytes) -> str | None:
    """The local name of the root element, in lower case; None if there is none near the start."""
    start = data[:MAX_PROLOG_BYTES]
    prolog = _PROLOG.match(start)
    found = _ROOT.match(start, prolog.end() if prolog else 0)
    return found[1].decode("ascii", "replace").lower() if found else None


def _without_doctype(data: bytes) -> bytes:
    # lxml expands entities for a target whatever resolve_entities says, so none may be declared.
    start = data[:MAX_PROLOG_BYTES].upper().find(b"<!DOCTYPE")
    if start < 0:
        return data
    # Past the last end of a comment none begins: to look for its end each time would be quadratic.
    last = data.rfind(b"-->") + 1
    doctype = _DOCTYPE.match(data[:last] + data[last:].replace(b"<!--", b"<!=="), start)
    if doctype is None:
        raise StopReadingError("the document type has no end")
    return data[:start] + data[doctype.end() :].replace(b"<!ENTITY", b"<!--TITY")


def has_doctype(data: bytes) -> bool:
    """Whether the document declares a type, and so could declare entities."""
    return b"<!DOCTYPE" in data[:MAX_PROLOG_BYTES].upper()


def read_xml(data: bytes, target: XmlTarget) -> str | None:
    """Feed a document in clean UTF-8 to `target`; the first thing that is wrong with it, or None.

    After an error reading goes on as far as libxml2 can recover.
    """
    adapter = _Adapter(target)
    parser = etree.XMLParser(
        target=cast(Any, adapter),
        encoding="utf-8",
        recover=True,
        resolve_entities=False,
        load_dtd=False,
        no_network=True,
        huge_tree=False,
    )
    try:
        parser.feed(_without_doctype(data))
        parser.close()
    except StopReadingError as stop:
        return str(stop) or None
    except (etree.LxmlError, ValueError) as error:
        return f"malformed: {error}"[:200]
    if adapter.depth:
        return "the document ends too early"
    for entry in parser.feed_error_log:
        if (
            entry.level_name in ("ERROR", "FATAL")
            and entry.type_name != "NS_ERR_UNDEFINED_NAMESPACE"
        ):
            return f"line {entry.line}: {entry.message}"[:200]
    return None


class _Adapter:
    """Strips namespaces and bounds the depth."""

    def __init__(self, target: XmlTarget) -> None:
        self._target = target
        self.data = target.data
        self.depth = 0

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise StopReadingError(f"nested deeper than {MAX_DEPTH}")
        self._target.start(_local(tag), attributes)

    def end(self, tag: str) -> None:
        self.depth -= 1
        self._target.end(_local(tag))

    def close(self) -> None:
        """Nothing is returned; the target has it all."""


def _local(tag: str) -> str:
    return tag.rpartition("}")[2].rpartition(":")[2].lower()
