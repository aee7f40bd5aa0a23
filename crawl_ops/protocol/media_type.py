"""What a page is: its header, the end of its URL and its first bytes, weighed together."""

import re
from functools import lru_cache

from crawl_ops.protocol.magic import (
    CONTAINER_OF,
    SUFFIXES,
    looks_binary,
    signature,
    text_type,
)

TOKEN = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
MEDIA_TYPE = re.compile(rf"({TOKEN.pattern})/({TOKEN.pattern})[ \t\r\n]*(?:;|$)")
PARAMETER = re.compile(
    rf';[ \t\r\n]*(?:({TOKEN.pattern})=(?:"((?:[^"\\]|\\.|\\$)*)(?:"[^;]*|$)|([^;]*)))?[^;]*'
)
UNKNOWN = {"application/octet-stream", "application/unknown", "unknown/unknown", "*/*"}
XML = {"application/xml", "text/xml"}
VALUE = re.compile(r"[\t\x20-\x7e\x80-\xff]*")
BLANKS = " \t\r\n"
OCTETS = "application/octet-stream"
HEAD_BYTES = 4_096
REMEMBERED_CHARS = 200


def parse_type(value: str) -> tuple[str | None, str | None]:
    """Media type in lower case and charset parameter of a Content-Type (WHATWG MIME Sniffing).

    (None, None) when it is no media type.
    """
    return _parsed(value) if len(value) <= REMEMBERED_CHARS else _parsed.__wrapped__(value)


@lru_cache(1_024)
def _parsed(value: str) -> tuple[str | None, str | None]:
    value = value.strip(BLANKS)
    match = MEDIA_TYPE.match(value)
    if match is None:
        return None, None
    return f"{match.group(1)}/{match.group(2)}".lower(), _charset(value[match.end(2) :])


def _charset(parameters: str) -> str | None:
    start = parameters.find(";")
    for match in PARAMETER.finditer(parameters[start:]) if start >= 0 else ():
        name, quoted, plain = match.groups()
        if name is None or name.lower() != "charset":
            continue
        value = re.sub(r"\\(.)", r"\1", quoted or "") if plain is None else plain.rstrip(BLANKS)
        if VALUE.fullmatch(value) and (value or quoted is not None):
            return value or None
    return None


def detect(declared: str | None, url: str, content: bytes, *, magic: bool = True) -> str | None:
    """The media type of `content`; None when nothing tells.

    `declared` is the type from the header, without parameters. Leading bytes (`magic`,
    mime.type.magic) overrule a header that they contradict, with one exception: text/plain stays
    text/plain whatever markup follows, unless the URL's suffix says it is no text.
    """
    declared = None if declared in UNKNOWN else declared
    by_suffix = SUFFIXES.get(_suffix(url))
    if not magic or not content:
        return declared or by_suffix
    head = content[:HEAD_BYTES]
    binary = signature(head)
    if binary is not None:
        return _within(binary, declared, by_suffix)
    if looks_binary(head):
        return declared or by_suffix or OCTETS
    return _of_text(declared, by_suffix, head)


def _within(binary: str, declared: str | None, by_suffix: str | None) -> str:
    """A type that is a kind of `binary` (a docx is a zip) is more exact than it."""
    for named in (declared, by_suffix):
        if named is not None and binary in (named, CONTAINER_OF.get(named)):
            return named
    return binary


def _of_text(declared: str | None, by_suffix: str | None, head: bytes) -> str:
    seen = text_type(head)
    if declared is None:
        return seen if seen != "text/plain" else _text_suffix(by_suffix) or seen
    if declared == "text/plain":
        contradicted = by_suffix is not None and _is_binary(by_suffix)
        return seen if contradicted else declared
    if _is_binary(declared):
        return seen
    if declared == "text/html" and seen in ("application/rss+xml", "application/atom+xml", *XML):
        return seen if seen not in XML or b"<sitemap" in head or b"<urlset" in head else declared
    if declared in XML and seen.endswith("+xml"):
        return seen
    return declared


def _text_suffix(by_suffix: str | None) -> str | None:
    return by_suffix if by_suffix is not None and not _is_binary(by_suffix) else None


def _is_binary(media_type: str) -> bool:
    """Whether a page of this type cannot be text: then readable bytes prove the label wrong."""
    if media_type.endswith("+xml"):
        return False
    kind = media_type.partition("/")[0]
    return kind in ("image", "audio", "video", "font") or media_type in CONTAINER_OF


def _suffix(url: str) -> str:
    path = url.partition("#")[0].partition("?")[0]
    path = path.partition("://")[2].partition("/")[2]
    name = path.rpartition("/")[2]
    return name.rpartition(".")[2].lower() if "." in name else ""
