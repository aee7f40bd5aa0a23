"""Meta robots and X-Robots-Tag: what a page asks of robots in general, and of us.

Directives for other agents are ignored; of several that apply the strictest counts.
"""

import re
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import NamedTuple

from crawl_ops.parse.dates import read_date

MAX_LENGTH = 4096

_PLAIN = frozenset(
    [
        "all",
        "index",
        "follow",
        "none",
        "noindex",
        "nofollow",
        "noarchive",
        "nocache",
        "nosnippet",
        "noimageindex",
        "notranslate",
        "nositelinkssearchbox",
        "indexifembedded",
        "noodp",
        "noydir",
        "nopagereadaloud",
        "archive",
        "snippet",
    ]
)
_WITH_VALUE = frozenset(
    ("max-snippet", "max-image-preview", "max-video-preview", "unavailable_after")
)
_NUMBER = re.compile(r"-1|[0-9]{1,9}")
_WEEKDAY = re.compile(
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)(?:day)?|tue|wed|thu|sat", re.IGNORECASE
)


class Directives(NamedTuple):
    """Directives for every robot and for the agent that asked, as `name` or `name=value`."""

    for_all: set[str]
    for_me: set[str]


def header_directives(values: Iterable[str], tokens: Sequence[str]) -> Directives:
    """The directives of X-Robots-Tag headers.

    An agent's name and a colon address all that follows in the same header to that agent.
    """
    mine = {token.lower() for token in tokens}
    found = Directives(set(), set())
    for value in values:
        agent: str | None = None
        for item in _items(value):
            agent, directive = _addressed(item, agent)
            _keep(directive, found, agent, mine)
    return found


def meta_directives(metas: Iterable[tuple[str, str]], tokens: Sequence[str]) -> Directives:
    """The directives of meta elements, given as (name, content): `robots`, or an agent's name."""
    mine = {token.lower() for token in tokens}
    found = Directives(set(), set())
    for name, content in metas:
        name = name.strip().lower()
        if name == "robots" or name in mine:
            for item in _items(content):
                _keep(item, found, None if name == "robots" else name, mine)
    return found


def _items(value: str) -> list[str]:
    items: list[str] = []
    for part in value[:MAX_LENGTH].split(","):
        # A date may have a comma itself: "unavailable_after: Friday, 25-Jun-10 15:00:00 GMT".
        if items and _WEEKDAY.fullmatch(items[-1].rpartition(":")[2].strip()):
            items[-1] += "," + part
        else:
            items.append(part)
    return items


def _addressed(item: str, agent: str | None) -> tuple[str | None, str]:
    while ":" in item:
        name, _, rest = item.partition(":")
        if name.strip().lower() in _WITH_VALUE:
            break
        agent, item = name.strip().lower(), rest
    return agent, item


def _keep(item: str, found: Directives, agent: str | None, mine: set[str]) -> None:
    directive = _directive(item)
    if directive is None:
        return
    if agent is None:
        found.for_all.add(directive)
    elif agent in mine:
        found.for_me.add(directive)


def _directive(item: str) -> str | None:
    name, colon, value = item.partition(":")
    name, value = name.strip().lower(), value.strip()
    if not colon:
        return name if name in _PLAIN else None
    if name == "unavailable_after":
        return f"{name}={value}" if read_date(value) else None
    value = value.lower()
    if name == "max-image-preview":
        return f"{name}={value}" if value in ("none", "standard", "large") else None
    if name in _WITH_VALUE:
        return f"{name}={value}" if _NUMBER.fullmatch(value) else None
    return None


class Wishes(NamedTuple):
    """What the directives come to."""

    noindex: bool
    nofollow: bool
    noarchive: bool


def wishes(directives: Iterable[Directives], now: datetime | None) -> Wishes:
    """Everything asked for, taken together. Without `now`, unavailable_after has no effect."""
    names = {name for group in directives for name in group.for_all | group.for_me}
    none = "none" in names
    return Wishes(
        noindex=none or "noindex" in names or _is_over(names, now),
        nofollow=none or "nofollow" in names,
        noarchive="noarchive" in names or "nocache" in names,
    )


def _is_over(names: Iterable[str], now: datetime | None) -> bool:
    if now is None:
        return False
    ends = (read_date(name.partition("=")[2]) for name in names if name[:11] == "unavailable")
    return any(end is not None and end <= now for end in ends)
