"""From bytes to text: which charset a page is in, and clean UTF-8 of it.

Order: byte order mark, HTTP header, declaration in the markup, valid UTF-8, statistical guess,
parser.character.encoding.default (WHATWG encoding sniffing, with Nutch's default at the end).
With encodingdetector.charset.min.confidence >= 0 the guess comes first when it is that sure.
"""

import codecs
import re
from functools import lru_cache
from typing import NamedTuple

import cchardet
import webencodings

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.parse.page import Page
from crawl_ops.parse.prescan import declared_labels

GUESS_BYTES = 16_384

_BOMS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16le"), (b"\xfe\xff", "utf-16be"))
# The web's encodings are wider than Python's codecs of the same name (WHATWG Encoding).
_PYTHON_NAMES = {
    "big5": "big5hkscs",
    "euc-kr": "cp949",
    "iso-8859-8-i": "iso-8859-8",
    "macintosh": "mac-roman",
    "shift_jis": "cp932",
    "windows-874": "cp874",
    "x-mac-cyrillic": "mac-cyrillic",
    "x-user-defined": "windows-1252",
}
_WIDER_CODECS = {"gbk": "gb18030"}
# What XML forbids, and DEL, which marks blocks while text is gathered.
_FORBIDDEN_BYTES = bytes((*range(1, 9), 11, *range(14, 32), 127))
_BLANKED = bytes.maketrans(_FORBIDDEN_BYTES, b" " * len(_FORBIDDEN_BYTES))
_REPLACEMENT = "\ufffd".encode()
# Browsers leave NUL out of text; in tags, titles and drawings it is U+FFFD (WHATWG HTML, tree
# construction).
_NUL = re.compile(
    rb"<(?:title|svg)\b(?:[^<]++|<(?!/(?:title|svg)))*+|<[A-Za-z][^<>]*+>|\0++", re.IGNORECASE
)
# Two that XML forbids, and the C1 controls that html_sheet writes records with; by first byte.
_NEVER_TEXT = (
    (b"\xc2", re.compile(b"\xc2[\x80\x82]")),
    (b"\xef", re.compile(b"\xef\xbf[\xbe\xbf]")),
)


class Decoded(NamedTuple):
    """A page's characters as UTF-8 without NUL and without what XML forbids, and its charset."""

    data: bytes
    charset: str


@lru_cache(maxsize=1024)
def encoding_name(label: str) -> str | None:
    """The WHATWG name behind a label, in lower case; None for an unknown label."""
    encoding = webencodings.lookup(label)
    return encoding.name.lower() if encoding else None


def _usable(label: str) -> str | None:
    name = encoding_name(label)
    # "replacement" stands for encodings that browsers refuse to decode.
    return None if name == "replacement" else name


def python_name(name: str) -> str:
    """A WHATWG name as Python's codecs.lookup knows it."""
    return _PYTHON_NAMES.get(name, name)


def declared_charset(content: bytes) -> str | None:
    """The WHATWG name of the encoding that the markup declares.

    UTF-16 cannot be declared in bytes one can read as ASCII: it means UTF-8 (WHATWG).
    """
    for label in declared_labels(content):
        name = _usable(label)
        if name is not None:
            if name.startswith("utf-16"):
                return "utf-8"
            return "windows-1252" if name == "x-user-defined" else name
    return None


def detect(
    content: bytes, hint: str | None, default: str, min_confidence: int = -1, cut: bool = False
) -> str:
    """The charset of `content` by its WHATWG name. `hint` is the header's label."""
    for mark, name in _BOMS:
        if content.startswith(mark):
            return name
    if min_confidence >= 0 and (guessed := _guess(content, min_confidence)):
        return guessed
    if hint and (named := _usable(hint.strip(" \"'"))):
        return named
    if declared := declared_charset(content):
        return declared
    if _is_utf8(content, cut):
        return "utf-8"
    return _guess(content, 0) or _usable(default) or "windows-1252"


def _is_utf8(content: bytes, cut: bool) -> bool:
    try:
        codecs.utf_8_decode(content, "strict", not cut)
    except UnicodeDecodeError:
        return False
    return True


def _guess(content: bytes, min_confidence: int) -> str | None:
    found = cchardet.detect(content[:GUESS_BYTES])
    label, confidence = found["encoding"], found["confidence"]
    if not label or (confidence or 0) * 100 < min_confidence:
        return None
    return _usable(label)


def decoded_page(page: Page, config: CrawlConfig) -> Decoded:
    """The page's characters, its charset found by all rules."""
    charset = detect(
        page.content,
        page.charset_hint,
        config.parser.character_encoding_default,
        config.encodingdetector.charset_min_confidence,
        cut=page.truncated is not None,
    )
    return decode(page.content, charset)


def decode(content: bytes, charset: str) -> Decoded:
    """`content` as clean UTF-8; bytes that are not of `charset` (WHATWG) become U+FFFD."""
    for mark, _ in _BOMS:
        if content.startswith(mark):
            content = content[len(mark) :]
            break
    return Decoded(_clean(_as_utf8(content, charset)), charset)


def _as_utf8(content: bytes, charset: str) -> bytes:
    is_ascii = content.isascii() and not charset.startswith(("utf-16", "iso-2022"))
    if is_ascii or (charset == "utf-8" and _is_utf8(content, False)):
        return content
    text = content.decode(_WIDER_CODECS.get(charset, python_name(charset)), "replace")
    return text.encode("utf-8", "replace")


def _without_nul(found: re.Match[bytes]) -> bytes:
    return found[0].replace(b"\0", _REPLACEMENT) if found[0][:1] == b"<" else b""


def _clean(data: bytes) -> bytes:
    if b"\0" in data:
        data = _NUL.sub(_without_nul, data)
    if not data.isascii():
        for first, never in _NEVER_TEXT:
            if first in data and never.search(data):
                data = never.sub(_REPLACEMENT, data)
    return data.translate(_BLANKED)
