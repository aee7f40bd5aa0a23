"""A robots.txt read for one crawler: the rules of its groups, its delay, the site's sitemaps.

Protego stays the peer it is tested against; its public interface cannot say which line decided.
"""

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import ada_url

from crawl_ops.protocol.robots_lines import Line, as_shown, directives
from crawl_ops.protocol.robots_match import Rule, index_rule, path, rule

TOKEN = re.compile(r"[\w.\-]+")
BETWEEN_NAMES = re.compile(r"[\s,]+")
SITEMAPS_MOST = 1_000
DELAY_MOST_S = 2_592_000.0  # longer than 30 days is no delay that somebody meant
ROBOTS_TXT = "/robots.txt"


@dataclass(frozen=True, slots=True)
class RobotsVerdict:
    """Whether a URL may be fetched, and the line or circumstance that decided, if any."""

    allowed: bool
    rule: str | None = None


@dataclass(slots=True, eq=False)
class _Group:
    """Rules of all groups that name us (or of all groups for `*`), merged (RFC 9309 §2.2.1)."""

    seen: bool = False
    rules: list[Rule] = field(default_factory=list)
    delay_s: float | None = None

    def add_delay(self, line: Line) -> None:
        delay = _delay(line.value)
        if delay is not None:
            self.delay_s = max(delay, self.delay_s or 0.0)

    def add_rule(self, line: Line) -> None:
        if not line.value:
            return
        written = as_shown(line.written)
        allows = line.name == "allow"
        self.rules.append(rule(line.value, written, allows=allows))
        index = index_rule(line.value, written) if allows else None
        if index is not None:
            self.rules.append(index)


class RobotsFile:
    """Immutable after construction; `agents` are product tokens in lower case."""

    __slots__ = ("_rules", "crawl_delay_s", "sitemaps")

    def __init__(self, content: bytes, agents: Sequence[str], url: str = "") -> None:
        reader = _Reader(agents)
        sitemaps: dict[str, None] = {}
        for line in directives(content):
            reader.read(line)
            location = _sitemap(url, line.value) if line.name == "sitemap" else None
            if location is not None and len(sitemaps) < SITEMAPS_MOST:
                sitemaps.setdefault(location)
        group = reader.ours if reader.ours.seen else reader.everyone
        # Longest first, Allow before Disallow: the first that matches decides (§2.2.2).
        self._rules = sorted(group.rules, key=lambda r: (-r.length, not r.allows))
        self.crawl_delay_s = group.delay_s
        self.sitemaps = tuple(sitemaps)

    def verdict(self, url: str) -> RobotsVerdict:
        """What the rules say of `url`; robots.txt itself is always allowed."""
        if not self._rules:
            return RobotsVerdict(True)
        where = path(url)
        if where.disallow != ROBOTS_TXT:
            for candidate in self._rules:
                if candidate.matches(where):
                    return RobotsVerdict(candidate.allows, candidate.written)
        return RobotsVerdict(True)


def product_token(name: str) -> str:
    """The part of an agent name that groups are matched with, in lower case; "" when none."""
    match = TOKEN.match(name.strip())
    return match.group().lower() if match else ""


def product_tokens(names: Iterable[str]) -> tuple[str, ...]:
    """Tokens of all names, once each, `*` left out (Nutch: http.agent.name, http.robots.agents)."""
    tokens = (product_token(name) for name in names)
    return tuple(dict.fromkeys(token for token in tokens if token))


class _Reader:
    """Which groups a line belongs to, while the file is read from top to bottom.

    Only Allow and Disallow end a list of user-agent lines: other lines must not interfere (RFC
    9309 §2.2.4), so that `Crawl-delay` between two of them leaves one group, as for Google and
    crawler-commons. The delay itself belongs to the names right above it.
    """

    def __init__(self, agents: Sequence[str]) -> None:
        self.ours, self.everyone = _Group(), _Group()
        self._agents = frozenset(agents)
        self._rules_for: list[_Group] = []
        self._delay_for: list[_Group] = []
        self._rules_end = self._delay_end = True

    def read(self, line: Line) -> None:
        if line.name == "user-agent":
            self._name(line.value)
        elif line.name in ("allow", "disallow"):
            self._rules_end = self._delay_end = True
            for group in self._rules_for:
                group.add_rule(line)
        elif line.name == "crawl-delay":
            self._delay_end = True
            for group in self._delay_for:
                group.add_delay(line)

    def _name(self, value: str) -> None:
        if self._rules_end:
            self._rules_for = []
        if self._delay_end:
            self._delay_for = []
        self._rules_end = self._delay_end = False
        for group in self._named(value):
            group.seen = True
            for members in (self._rules_for, self._delay_for):
                if group not in members:
                    members.append(group)

    def _named(self, value: str) -> list[_Group]:
        if _is_everyone(value):
            return [self.everyone]
        names = (product_token(word) for word in BETWEEN_NAMES.split(value))
        return [self.ours] if not self._agents.isdisjoint(names) else []


def _is_everyone(value: str) -> bool:
    return value[:1] == "*" and (len(value) == 1 or value[1].isspace())


def _delay(value: str) -> float | None:
    try:
        seconds = float(value)
    except ValueError:
        return None
    return seconds if math.isfinite(seconds) and 0 <= seconds <= DELAY_MOST_S else None


def _sitemap(base: str, value: str) -> str | None:
    try:
        value.encode()
        location = ada_url.join_url(base, value) if base else ada_url.URL(value).href
    except (ValueError, UnicodeError):
        return None
    return location if location.startswith(("http://", "https://")) else None
