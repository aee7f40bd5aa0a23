"""Our own filter `traps`: what endless spaces of URLs look like, each kind bounded by a property.

A page count without end needs URLs that grow or that run through combinations: parameters that are
added on and on, one folder within itself, an address that carries its own address, a calendar that
has a next month for ever. Each bound is far beyond what pages of people have; -1 takes it away,
and without `traps` in urlfilter.order none of them counts.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.urls.hosts import UrlParts, parts_of
from crawl_ops.urls.plain import Plain

_PREFIX = "urlfilter.traps"
_ESCAPED_AGAIN = re.compile(r"%(?:25)+")
_CALENDAR = re.compile(
    r"calend|kalend|agenda|event|ical|termin|month|week|(?<![a-z])cal(?![a-z])"
    r"|(?:^|[?&;])(?:year|yr|mon|day|date|ymd|from|start|end|[a-z-]*date)=",
    re.IGNORECASE,
)
_NO_CALENDAR = (  # what _CALENDAR finds in a plain URL, without lookarounds
    r"(?i:calend|kalend|agenda|event|ical|termin|month|week|[^a-z]cal(?:[^a-z]|$)"
    r"|[?&;](?:year|yr|mon|day|date|ymd|from|start|end|[a-z-]*date)=)"
)
_COUNTED_MAX = 900  # repetitions that an expression of RE2 may ask for
_FOUR_DIGITS = re.compile(r"[0-9]{4}")
_YEAR = re.compile(
    r"(?<![0-9])(?:year|yr|y)=([0-9]{4,6})(?![0-9])"
    r"|(?<![0-9])([0-9]{4})(?:[-/.](?:0?[1-9]|1[0-2])(?![0-9])|(?:0[1-9]|1[0-2])(?:[0-3][0-9])?(?![0-9]))",
    re.IGNORECASE,
)


class TrapsUrlFilter:
    """Refuses URLs that only traps have; the refusal names the trap and the property."""

    name = "traps"

    def __init__(self, config: CrawlConfig) -> None:
        group = config.urlfilter
        self._bounds: dict[str, int] = {
            "path.segments.max": group.traps_path_segments_max,
            "path.repeats.max": group.traps_path_repeats_max,
            "query.parameters.max": group.traps_query_parameters_max,
            "query.repeats.max": group.traps_query_repeats_max,
            "escapes.max": group.traps_escapes_max,
        }
        self._years = (group.traps_calendar_year_min, group.traps_calendar_year_max)
        self.fingerprint = f"traps {self._bounds} {self._years}"
        self._most = {name: math.inf if most < 0 else most for name, most in self._bounds.items()}
        self._kinds: tuple[Callable[[UrlParts], Iterator[tuple[str, int, str]]], ...] = (
            _path,
            _query,
            _escapes,
        )

    def refusal(self, url: str) -> str | None:
        """The bound that `url` is beyond, and how far; None when there is none."""
        return None if self._is_plain(url) else self._beyond(url)

    @property
    def plain(self) -> Plain:
        """Which URLs are plainly beyond no bound: those that do not even come near."""
        most = self._most
        slashes = min(most["path.segments.max"] - 1, most["path.repeats.max"] + 2, _COUNTED_MAX)
        marks = min(most["query.parameters.max"], most["query.repeats.max"], _COUNTED_MAX) - 1
        bounded = any(year >= 0 for year in self._years)
        return Plain(
            unless=(
                f"(?:/[^/]*){{{max(int(slashes), 0) + 1}}}",
                f"(?:[&;][^&;]*){{{max(int(marks), 0) + 1}}}",
                "%25",
                *((_NO_CALENDAR,) if bounded else ()),
            )
        )

    def _is_plain(self, url: str) -> bool:
        """Whether `url` is beyond no bound, by counts that can only be too high."""
        most, segments = self._most, url.split("/")
        parameters = url.count("&") + url.count(";") + 1
        return (
            len(segments) <= most["path.segments.max"]
            and len(segments) - len(set(segments)) < most["path.repeats.max"]
            and parameters <= most["query.parameters.max"]
            and (parameters <= most["query.repeats.max"] or parameters == 1)
            and "%25" not in url
            and not (_FOUR_DIGITS.search(url) and _YEAR.search(url))
        )

    def _beyond(self, url: str) -> str | None:
        parts = parts_of(url)
        if parts is None:
            return None
        for kind in self._kinds:
            for name, found, what in kind(parts):
                if 0 <= self._bounds[name] < found:
                    return f"{what} ({found}; {_PREFIX}.{name} is {self._bounds[name]})"
        return self._calendar(parts.path + parts.query)

    def _calendar(self, text: str) -> str | None:
        least, most = self._years
        if not (least >= 0 or most >= 0) or not _CALENDAR.search(text):
            return None
        for found in _YEAR.finditer(text):
            year = int(found[1] or found[2])
            if 0 <= most < year:
                return (
                    f"a calendar without end (year {year}; {_PREFIX}.calendar.year.max is {most})"
                )
            if year < least:
                return (
                    f"a calendar without end (year {year}; {_PREFIX}.calendar.year.min is {least})"
                )
        return None


def _path(parts: UrlParts) -> Iterator[tuple[str, int, str]]:
    if parts.path.count("/") < 2:
        return
    segments = [segment for segment in parts.path.split("/") if segment]
    yield "path.segments.max", len(segments), "a path that grows without end"
    ((_, most),) = Counter(segments).most_common(1) or [("", 0)]
    yield "path.repeats.max", most, "a path that runs through one segment again and again"


def _query(parts: UrlParts) -> Iterator[tuple[str, int, str]]:
    if "&" not in parts.query and ";" not in parts.query:
        return
    names = [one.partition("=")[0] for one in re.split("[&;]", parts.query[1:]) if one]
    yield "query.parameters.max", len(names), "a query that grows without end"
    ((_, most),) = Counter(names).most_common(1) or [("", 0)]
    yield "query.repeats.max", most, "a query that names one parameter again and again"


def _escapes(parts: UrlParts) -> Iterator[tuple[str, int, str]]:
    if "%25" in parts.query or "%25" in parts.path:
        runs = _ESCAPED_AGAIN.finditer(parts.path + parts.query)
        deepest = max(len(run[0]) // 2 for run in runs)
        yield "escapes.max", deepest, "an address that carries its own address, escaped again"
