r"""urlfilter-automaton: `+` and `-` rules that must fit the whole URL, in a smaller language.

The language is that of dk.brics.automaton: no anchors, no `\d`; `\` takes any character
literally, `"…"` a whole text, `@` is any text, `#` nothing, `<n-m>` a number. Complement (`~`),
intersection (`&`) and named automata need a real automaton: they are configuration errors.
"""

import re

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.urls.filters.sections import Fits, accepting, decide, decisions
from crawl_ops.urls.rulefile import rules_of

_MAX_NUMBERS = 1000
_INTERVAL = re.compile(r"<([0-9]{1,9})-([0-9]{1,9})>")
_LITERAL = frozenset("^$")
_UNSUPPORTED = frozenset("~&")


class AutomatonUrlFilter:
    """The first rule that fits the whole URL decides; without one the URL is refused."""

    name = "automaton"

    def __init__(self, config: CrawlConfig) -> None:
        group = config.urlfilter
        rules = rules_of(
            "urlfilter.automaton",
            group.automaton_rules,
            group.automaton_file,
            "automaton-urlfilter.txt",
        )
        self._decisions = decisions(rules, _fits_whole)
        self._sectioned = any(rule.site is not None for rule in self._decisions)
        self.fingerprint = f"automaton {rules.text}"

    def refusal(self, url: str) -> str | None:
        """The rule that refuses `url`, as its line; None when a rule accepts it."""
        return decide(self._decisions, url, self._sectioned)

    def acceptance(self, url: str) -> str | None:
        """The rule that accepts `url`, as its line; None when none does."""
        return accepting(self._decisions, url, self._sectioned)


def _fits_whole(expression: str) -> Fits:
    try:
        return re.compile(translated(expression), re.DOTALL).fullmatch
    except (re.error, OverflowError, RecursionError) as error:
        raise ValueError(f"{expression!r} is no automaton expression: {error}") from None


def translated(expression: str) -> str:
    """An expression of dk.brics.automaton as one of Python. Raises re.error."""
    out: list[str] = []
    at = 0
    while at < len(expression):
        at, piece = _piece(expression, at)
        out.append(piece)
    return "".join(out)


def _piece(source: str, at: int) -> tuple[int, str]:
    char = source[at]
    if char == "\\":
        return at + 2, re.escape(source[at + 1 : at + 2])
    if char == '"':
        end = source.find('"', at + 1)
        if end < 0:
            raise re.error("a quote is not closed")
        return end + 1, f"(?:{re.escape(source[at + 1 : end])})"
    if char == "[":
        return _class(source, at)
    if char == "<":
        return _interval(source, at)
    if char in _UNSUPPORTED:
        raise re.error(f"{char} is not supported (write \\{char} for the character)")
    if char in _LITERAL:
        return at + 1, "\\" + char
    return at + 1, {"@": ".*", "#": "(?!)", "(": "(?:"}.get(char, char)


def _class(source: str, at: int) -> tuple[int, str]:
    out = ["["]
    at += 1
    while at < len(source) and source[at] != "]":
        if source[at] == "\\":
            at += 1
            out.append(re.escape(source[at : at + 1]))
        else:
            char = source[at]
            special = char in "[|~&" or (char == "^" and len(out) > 1)
            out.append("\\" + char if special else char)
        at += 1
    if at >= len(source) or len(out) == 1:
        raise re.error("a class is not closed or empty")
    return at + 1, "".join([*out, "]"])


def _interval(source: str, at: int) -> tuple[int, str]:
    found = _INTERVAL.match(source, at)
    if found is None:
        raise re.error("<…> must be a number range, as in <1-31>")
    low, high = sorted((int(found[1]), int(found[2])))
    if high - low > _MAX_NUMBERS:
        raise re.error(f"a range of more than {_MAX_NUMBERS} numbers")
    # Limits of equal length mean numbers with leading zeros (brics).
    width = len(found[1]) if len(found[1]) == len(found[2]) else 0
    zeros = "" if width else "0*"
    numbers = "|".join(str(number).zfill(width) for number in range(low, high + 1))
    return found.end(), f"{zeros}(?:{numbers})"
