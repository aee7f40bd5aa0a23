"""One Allow or Disallow against one path (RFC 9309 §2.2.2 and §2.2.3).

Written here because Protego cannot be asked which line decided, merges no groups of several
agents, and misses 14 of the 145 published cases of Google's parser; see robots_file.
"""

import re
import string
from typing import NamedTuple

PATH = re.compile(r"(?:[^/?;#]*://|//)?[^/?;#]*([/?;][^#]*)?", re.DOTALL)
PLAIN_PATH = re.compile(r"[A-Za-z0-9/._~?&=+,;:@!()-]*+")  # nothing to escape, nor to unescape
ESCAPE = re.compile(r"%([0-9a-fA-F]{2})")
NOT_ASCII = re.compile(rb"[\x80-\xff]")
UNSAFE = re.compile(r'[\x00-\x20"<>\\^`{|}\x7f]')
MARKS = frozenset("-._~")
UNRESERVED = MARKS | frozenset(string.ascii_letters + string.digits)
IN_QUERY = UNRESERVED | frozenset(":/")
INDEX = "/index.htm"


class Path(NamedTuple):
    """Path and query of a URL in two spellings: for Allow, and for Disallow.

    RFC 9309 §2.2.2 compares octets after escaping what is not ASCII and undoing escapes of
    unreserved characters. Google's cases, which predate it, do not undo letters nor escape the
    URL. Both hold when in doubt the stricter reading does: in Disallow as the RFC has it, in Allow
    with letters as they are written.
    """

    allow: str
    disallow: str


class Rule(NamedTuple):
    """A rule made ready. `length` is its priority; `pieces` stand between its wildcards."""

    allows: bool
    length: int
    written: str
    pieces: tuple[str, ...]
    anchored: bool

    def matches(self, path: Path) -> bool:
        return _matches(self.pieces, self.anchored, path.allow if self.allows else path.disallow)


def path_of(url: str) -> str:
    """Path, parameters and query of a URL, whole or without its scheme; "/" when it has none."""
    match = PATH.match(url)
    found = (match.group(1) if match else None) or "/"
    return found if found.startswith("/") else "/" + found


def path(url: str) -> Path:
    """What rules are compared with."""
    found = path_of(url)
    if PLAIN_PATH.fullmatch(found):
        return Path(found, found)
    found = _upper(found).replace("*", "%2A").replace("$", "%24")
    return Path(unescape(_safe(found), MARKS), _plain(_safe(escape(found))))


def rule(pattern: str, written: str, *, allows: bool) -> Rule:
    """A rule from its pattern."""
    escaped = escape(pattern)
    length = len(escaped)
    anchored = escaped.endswith("$")
    if anchored:
        escaped = escaped[:-1]
    escaped = escaped.replace("$", "%24")  # `$` means the end only at the end
    escaped = unescape(_safe(escaped), MARKS) if allows else _plain(_safe(escaped))
    return Rule(allows, length, written, tuple(escaped.split("*")), anchored)


def index_rule(pattern: str, written: str) -> Rule | None:
    """Allow: /dir/index.html also allows /dir/ (Google's parser)."""
    at = pattern.rfind("/")
    if at < 0 or not pattern.startswith(INDEX, at):
        return None
    return rule(pattern[: at + 1] + "$", written, allows=True)


def escape(text: str) -> str:
    """Bytes beyond ASCII as percent-escapes, and all escapes in upper case."""
    if not text.isascii():
        data = text.encode("utf-8", "surrogateescape")
        text = NOT_ASCII.sub(lambda m: b"%%%02X" % m.group()[0], data).decode("ascii")
    return _upper(text)


def unescape(text: str, characters: frozenset[str]) -> str:
    """Escapes of these ASCII characters as the characters themselves."""

    def plain(match: re.Match[str]) -> str:
        character = chr(int(match.group(1), 16))
        return character if character in characters else match.group()

    return ESCAPE.sub(plain, text) if "%" in text else text


def _plain(text: str) -> str:
    """Unreserved characters plain; in the query also `:` and `/` (first row of §2.2.2's table)."""
    before, mark, query = text.partition("?")
    return unescape(before, UNRESERVED) + mark + unescape(query, IN_QUERY)


def _upper(text: str) -> str:
    return ESCAPE.sub(lambda m: m.group().upper(), text) if "%" in text else text


def _safe(text: str) -> str:
    """Characters that the URL standard escapes in paths, escaped."""
    return UNSAFE.sub(lambda m: f"%{ord(m.group()):02X}", text)


def _matches(pieces: tuple[str, ...], anchored: bool, text: str) -> bool:
    """Leftmost finds of the pieces: linear, where a regular expression could explode."""
    if not text.startswith(pieces[0]):
        return False
    at = len(pieces[0])
    if len(pieces) == 1:
        return not anchored or at == len(text)
    for piece in pieces[1:-1]:
        found = text.find(piece, at)
        if found < 0:
            return False
        at = found + len(piece)
    last = pieces[-1]
    if anchored:
        return len(text) - len(last) >= at and text.endswith(last)
    return text.find(last, at) >= 0
