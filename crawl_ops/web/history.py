"""A crawl across its runs: pages a day, and what was new, changed, the same, gone."""

import threading
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.storage.crawl_dir import CrawlDir
from crawl_ops.storage.segment import Segment
from crawl_ops.storage.session import Session
from crawl_ops.storage.views import part_select
from crawl_ops.web.runs import Run, token_of
from crawl_ops.web.sessions import page_session

CHANGES = ("new", "changed", "same", "redirect", "gone", "failed")
SEGMENTS_MOST = 1_000
RUNS_MOST = 50
DAYS_MOST = 120
BUDGET_S = 4.0
REMEMBERED_MOST = 10_000

Days = dict[str, dict[str, int]]  # day -> change -> pages


class Changes:
    """What finished segments found, by day: read once, for they do not change any more."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, ...], Days] = {}
        self._lock = threading.Lock()

    def of(self, crawl: CrawlDir, session: Session, segments: Sequence[Segment]) -> Days:
        """Pages of segments by day and change, each URL as it was last had in them."""
        key = str(crawl.root), *(segment.name for segment in segments)
        with self._lock:
            if (known := self._known.get(key)) is not None:
                return known
        days = _days(session, segments)
        if all(map(_is_finished, segments)):
            with self._lock:
                if len(self._known) >= REMEMBERED_MOST:
                    self._known.clear()
                self._known[key] = days
        return days

    def has(self, crawl: CrawlDir, names: Sequence[str]) -> bool:
        """Whether asking for segments costs nothing."""
        with self._lock:
            return (str(crawl.root), *names) in self._known


def history(
    crawl: CrawlDir, config: CrawlConfig, runs: Sequence[Run], changes: Changes
) -> dict[str, Any]:
    """Days and runs of a crawl, newest segments first until the time for it is over.

    `read` of `segments` were read; asked again, the rest follows. A depth that was done again
    counts once in its run, and so do its URLs; in days, every pass counts.
    """
    names = crawl.segments()[::-1][:SEGMENTS_MOST]
    by_day: defaultdict[str, Counter[str]] = defaultdict(Counter)
    by_run = {run.run_id: _OfRun() for run in runs[:RUNS_MOST]}
    read = 0
    deadline = time.monotonic() + BUDGET_S
    with page_session(crawl, config) as session:
        for name in names:
            if time.monotonic() > deadline and not changes.has(crawl, [name]):
                continue
            segment = crawl.segment(name)
            days = changes.of(crawl, session, [segment])
            for day, found in days.items():
                by_day[day].update(found)
            info = segment.info()
            if of_run := by_run.get(str(info.get("run_id") or "")):
                of_run.add(segment, info.get("depth"), days)
            read += 1
        for of_run in by_run.values():
            if not of_run.has_redone:
                continue
            if time.monotonic() > deadline and not changes.has(crawl, of_run.names):
                read -= len(of_run.segments)
            else:
                of_run.count(changes.of(crawl, session, of_run.segments))
    return {
        "crawl": crawl.root.name,
        "token": token_of(crawl),
        "segments": len(names),
        "read": read,
        "changes": CHANGES,
        "days": [{"day": day, **_all(by_day[day])} for day in sorted(by_day)[-DAYS_MOST:]],
        "runs": [_run(run, by_run[run.run_id]) for run in runs[:RUNS_MOST]],
    }


@dataclass(slots=True)
class _OfRun:
    """What the segments of a run found that were read, newest first."""

    segments: list[Segment] = field(default_factory=list)
    depths: set[Any] = field(default_factory=set)
    found: Counter[str] = field(default_factory=Counter)

    @property
    def names(self) -> list[str]:
        return [segment.name for segment in self.segments]

    @property
    def has_redone(self) -> bool:
        return len(self.segments) > len(self.depths)

    def add(self, segment: Segment, depth: Any, days: Days) -> None:
        self.segments.append(segment)
        self.depths.add(depth)
        for found in days.values():
            self.found.update(found)

    def count(self, days: Days) -> None:
        self.found = Counter()
        for found in days.values():
            self.found.update(found)


def _run(run: Run, of_run: _OfRun) -> dict[str, Any]:
    return {
        "dag_id": run.dag_id,
        "run_id": run.run_id,
        "state": run.state,
        "started": run.started.isoformat() if run.started else None,
        "ended": run.ended.isoformat() if run.ended else None,
        "depths": len(of_run.depths),
        **_all(of_run.found),
    }


def _all(found: Counter[str]) -> dict[str, int]:
    return {"pages": found.total(), **{change: found[change] for change in CHANGES}}


def _days(session: Session, segments: Sequence[Segment]) -> Days:
    session.bind_select("passes", part_select(session, segments, "crawl_fetch"))
    session.bind_query("crawl_fetch", "web_last")
    session.bind_select("parse_data", part_select(session, segments, "parse_data"))
    days: Days = {}
    for row in session.rows("web_changes"):
        days.setdefault(row["day"], {})[row["change"]] = row["pages"]
    return days


def _is_finished(segment: Segment) -> bool:
    return all(segment.done("parse", number) is not None for number in segment.lists())
