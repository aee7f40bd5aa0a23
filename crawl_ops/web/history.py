"""A crawl across its runs: pages a day, and what was new, changed, the same, gone."""

import threading
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
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
        self._known: dict[tuple[str, str], Days] = {}
        self._lock = threading.Lock()

    def of(self, crawl: CrawlDir, session: Session, segment: Segment) -> Days:
        """Pages of one segment by day and change."""
        key = str(crawl.root), segment.name
        with self._lock:
            if (known := self._known.get(key)) is not None:
                return known
        days = _days(session, segment)
        if _is_finished(segment):
            with self._lock:
                if len(self._known) >= REMEMBERED_MOST:
                    self._known.clear()
                self._known[key] = days
        return days

    def has(self, crawl: CrawlDir, name: str) -> bool:
        """Whether asking for a segment costs nothing."""
        with self._lock:
            return (str(crawl.root), name) in self._known


def history(
    crawl: CrawlDir, config: CrawlConfig, runs: Sequence[Run], changes: Changes
) -> dict[str, Any]:
    """Days and runs of a crawl, newest segments first until the time for it is over.

    `read` of `segments` were read; asked again, the rest follows.
    """
    names = crawl.segments()[::-1][:SEGMENTS_MOST]
    by_day: defaultdict[str, Counter[str]] = defaultdict(Counter)
    by_run: defaultdict[str, Counter[str]] = defaultdict(Counter)
    depths: Counter[str] = Counter()
    read = 0
    deadline = time.monotonic() + BUDGET_S
    with page_session(crawl, config) as session:
        for name in names:
            if time.monotonic() > deadline and not changes.has(crawl, name):
                continue
            segment = crawl.segment(name)
            run_id = str(segment.info().get("run_id") or "")
            for day, found in changes.of(crawl, session, segment).items():
                by_day[day].update(found)
                by_run[run_id].update(found)
            depths[run_id] += 1
            read += 1
    return {
        "crawl": crawl.root.name,
        "token": token_of(crawl),
        "segments": len(names),
        "read": read,
        "changes": CHANGES,
        "days": [{"day": day, **_all(by_day[day])} for day in sorted(by_day)[-DAYS_MOST:]],
        "runs": [_run(run, depths[run.run_id], by_run[run.run_id]) for run in runs[:RUNS_MOST]],
    }


def _run(run: Run, depths: int, found: Counter[str]) -> dict[str, Any]:
    return {
        "dag_id": run.dag_id,
        "run_id": run.run_id,
        "state": run.state,
        "started": run.started.isoformat() if run.started else None,
        "ended": run.ended.isoformat() if run.ended else None,
        "depths": depths,
        **_all(found),
    }


def _all(found: Counter[str]) -> dict[str, int]:
    return {"pages": found.total(), **{change: found[change] for change in CHANGES}}


def _days(session: Session, segment: Segment) -> Days:
    for part in ("crawl_fetch", "parse_data"):
        session.bind_select(part, part_select(session, [segment], part))
    days: Days = {}
    for row in session.rows("web_changes"):
        days.setdefault(row["day"], {})[row["change"]] = row["pages"]
    return days


def _is_finished(segment: Segment) -> bool:
    return all(segment.done("parse", number) is not None for number in segment.lists())
