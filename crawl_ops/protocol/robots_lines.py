"""robots.txt as lines: bytes made readable, misspelt directives understood (RFC 9309 §2.2)."""

import re
from collections.abc import Iterator
from typing import NamedTuple

LINE_BYTES = 16_663  # Google's limit; what is longer is cut there
LINE_ENDS = re.compile(r"\r\n|\r|\n")
TAGS = re.compile(r"<[^<>]{0,200}>")
UTF8_BOM = b"\xef\xbb\xbf"

# Beginnings of directive names, misspellings that are common in real files included.
BEGINNINGS: tuple[tuple[str, str], ...] = (
    ("user-agent", "user-agent"),
    ("useragent", "user-agent"),
    ("user agent", "user-agent"),
    ("disallow", "disallow"),
    ("dissallow", "disallow"),
    ("dissalow", "disallow"),
    ("disalow", "disallow"),
    ("diasllow", "disallow"),
    ("disallaw", "disallow"),
    ("desallow", "disallow"),
    ("allow", "allow"),
    ("sitemap", "sitemap"),
    ("site-map", "sitemap"),
    ("crawl-delay", "crawl-delay"),
    ("crawl delay", "crawl-delay"),
    ("crawldelay", "crawl-delay"),
)


class Line(NamedTuple):
    """One directive: its name in lower case without slips, its value, the line as written.

    Bytes that are no UTF-8 stand in the text as lone surrogates (surrogateescape).
    """

    name: str
    value: str
    written: str


def readable(content: bytes) -> str:
    """The text of a robots.txt: UTF-8 or, by its mark, UTF-16; marks removed, also half ones."""
    if content[:2] in (b"\xff\xfe", b"\xfe\xff") and b"\x00" in content:
        return content.decode("utf-16", errors="replace")
    for length in (3, 2, 1):
        if content.startswith(UTF8_BOM[:length]):
            content = content[length:]
            break
    return content.decode("utf-8", errors="surrogateescape")


def directives(content: bytes) -> Iterator[Line]:
    """All lines that say something. HTML is harmless: its tags are taken out."""
    text = readable(content)
    if text.lstrip()[:1] == "<":
        text = TAGS.sub("", text)
    for written in LINE_ENDS.split(text):
        line = _directive(written[:LINE_BYTES])
        if line is not None:
            yield line


def as_shown(text: str) -> str:
    """A line for people: bytes that are no text replaced, at most 500 characters."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace").strip()[:500]


def _directive(written: str) -> Line | None:
    text = written.partition("#")[0].strip()
    name, colon, value = text.partition(":")
    if not colon:  # RFC 9309 §2.2 wants a colon; "Disallow /x" is common enough
        words = text.split()
        if len(words) != 2:
            return None
        name, value = words
    name = name.strip().lower()
    for beginning, meant in BEGINNINGS:
        if name.startswith(beginning):
            return Line(meant, value.strip(), written)
    if name in ("http", "https") and "sitemap" in text.lower():
        return Line("sitemap", text, written)
    return Line(name, value.strip(), written) if name else None
