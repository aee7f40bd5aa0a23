r"""URLs that plainly go through a chain as they are, told by a few regular expressions.

Millions of URLs are judged by an engine for regular expressions that has no lookarounds and no
backreferences (RE2), so most expressions are widened: what they fit, the widened ones fit too.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

_SAMPLES = ("http://a.example/", "https://a.example/b")
_SAFE = r"A-Za-z0-9\-_~!$&'()*+,;=:@%"
FORM = (
    r"^https?://(?:[a-z0-9_-]+\.)*[a-z][a-z0-9_-]*(?::(?:[1-5][0-9]{4}|[1-9][0-9]{3}))?"
    rf"(?:/|(?:/[{_SAFE}][{_SAFE}.]*)+/?)(?:\?[A-Za-z0-9\-._~!$&()*+,;=:@%/?]+)?$"
)
"""A URL with a host name, without login, fragment, default port, `//` or dot segments."""


@dataclass(frozen=True, slots=True)
class Plain:
    """When a plug has nothing to do with a URL of FORM: if no expression of `unless` is found in
    it, one of `must` is (if there are any), and all of `asks` answer something false.
    """

    unless: tuple[str, ...] = ()
    must: tuple[str, ...] = ()
    asks: tuple[Callable[[str], object], ...] = ()


def plain_of_rules(rules: Iterable[tuple[re.Pattern[str], bool]]) -> Plain:
    """Of signed rules, (expression, accepts), of which the first that is found decides.

    A URL is accepted if an accepting rule is found in it, and no refusing one that stands before
    the last accepting one, whichever of them comes first.
    """
    refusing: list[re.Pattern[str]] = []
    must: list[str] = []
    before = 0
    for pattern, accepts in rules:
        if not accepts:
            refusing.append(pattern)
        elif (wider := widened(pattern)) and wider.exact:
            must.append(wider.text)
            before = len(refusing)
            if pattern.pattern == ".":
                break
    return replace(plain_of_expressions(refusing[:before]), must=tuple(must) or ("^$",))


def plain_of_expressions(patterns: Iterable[re.Pattern[str]]) -> Plain:
    """Of expressions, none of which may be found."""
    unless: list[str] = []
    asks: list[Callable[[str], object]] = []
    for pattern in patterns:
        if _NO_WEB_URL.fullmatch(pattern.pattern):
            continue
        wider = widened(pattern)
        if wider and not wider.fits_all:
            unless.append(wider.text)
        else:
            asks.append(pattern.search)
    return Plain(tuple(unless), asks=tuple(asks))


@dataclass(frozen=True, slots=True)
class Wider:
    """An expression for RE2. exact: it fits the same; else it may fit more."""

    text: str
    exact: bool

    @property
    def fits_all(self) -> bool:
        """Whether it is so wide that it tells nothing."""
        return all(re.search(self.text, url, re.ASCII) for url in _SAMPLES)


def widened(pattern: re.Pattern[str]) -> Wider | None:
    """The expression without what RE2 does not know, for URLs of FORM; None if that cannot be."""
    if pattern.flags & ~(re.ASCII | re.UNICODE):
        return None
    return _Widening(pattern.pattern).wider()


_NO_WEB_URL = re.compile(r"\^\(\?!https\?:(?://)?\)")
"""What is found in no URL of FORM, and would be widened to what is found in all."""
_LOOKAROUND = re.compile(r"\(\?(?:[=!]|<[=!])")
_OPENING = re.compile(r"\((?:\?(?:(?:-?[ims])*:|>|P<\w+>))?")
_QUANTIFIER = re.compile(r"(?:[*+?]|\{([0-9]+)(?:,([0-9]*))?\})([+?]?)")
_COPIES_MAX = 20
"""RE2 makes a copy for each repetition that may be or not be."""
_CLASS = re.compile(r"\[\^?\]?(?:\\.|[^\\\]])*\]", re.DOTALL)


class _Widening:
    """One pass over an expression of Python's."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._at = 0
        self._exact = source.isascii()

    def wider(self) -> Wider | None:
        out: list[str] = []
        while self._at < len(self._source):
            piece = self._piece()
            if piece is None:
                return None
            out.append(piece)
        return Wider("".join(out), self._exact)

    def _piece(self) -> str | None:
        char = self._source[self._at]
        if char == "\\":
            return self._escape()
        if char == "[":
            found = _CLASS.match(self._source, self._at)
            return self._take(found[0]) if found else None
        if char == "(":
            return self._group()
        if char in "*+?{":
            found = _QUANTIFIER.match(self._source, self._at)
            if found is None:
                return None
            self._at = found.end()
            text = found[0]
            if found[2] and int(found[2]) > int(found[1]) + _COPIES_MAX:
                self._exact = False
                text = text.replace(f",{found[2]}}}", ",}")
            if found[3] == "+":  # possessive: it gives nothing back
                self._exact = False
                return text[:-1]
            return text
        return self._take(char)

    def _take(self, text: str) -> str:
        self._at += len(text)
        return text

    def _escape(self) -> str | None:
        pair = self._source[self._at : self._at + 2]
        return None if pair[1:].isdigit() or pair == r"\Z" else self._take(pair)

    def _group(self) -> str | None:
        if _LOOKAROUND.match(self._source, self._at):
            self._exact = False
            return self._skipped()
        found = _OPENING.match(self._source, self._at)
        if found is None or self._source.startswith("?", found.end()):
            return None
        self._at = found.end()
        if found[0] == "(?>":
            self._exact = False
            return "(?:"
        return "(" if "P<" in found[0] else found[0]

    def _skipped(self) -> str | None:
        """Nothing, for a group that is left out."""
        depth = 0
        while self._at < len(self._source):
            char = self._source[self._at]
            if char == "\\":
                self._at += 1
            elif char == "[":
                found = _CLASS.match(self._source, self._at)
                if found is None:
                    return None
                self._at = found.end() - 1
            depth += {"(": 1, ")": -1}.get(char, 0)
            self._at += 1
            if not depth:
                # A quantifier of a lookaround would be one of what stands before it.
                return None if self._source[self._at : self._at + 1] in tuple("*+?{") else ""
        return None
