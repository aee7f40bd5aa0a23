"""How a run goes: its depths, its pace, what failed, and when it may be done."""

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.storage.ask import plain
from crawl_ops.storage.session import Session
from crawl_ops.storage.views import part_select
from crawl_ops.web.depths import Depth, depths_of, expected_end_s
from crawl_ops.web.runs import RunCrawl
from crawl_ops.web.sessions import page_session

STEPS = (2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 21_600, 86_400)
LIVE_STEP_S = 5
POINTS_MOST = 240
KINDS_MOST = 20
WAITING_MOST = 20
STALE_S = 30.0


def progress(found: RunCrawl, config: CrawlConfig, now: datetime) -> dict[str, Any]:
    """Everything that the page of a run shows of its progress."""
    with page_session(found.crawl, config) as session:
        depths = depths_of(found, session)
        session.bind_select(
            "crawl_fetch", part_select(session, (d.segment for d in depths), "crawl_fetch")
        )
        failures = [_plain(row) for row in session.rows("web_failures", most=KINDS_MOST)]
        head = _head(found, session, depths)
        pace = _pace(session, depths)
        totals = _totals(found, session)
    running = [depth for depth in depths if depth.live and not found.run.is_over]
    return {
        "now": plain(now),
        "run": run_summary(found),
        "head": head,
        "depths": [depth.as_dict() for depth in depths],
        "live": _live(running, now),
        "pace": pace,
        "failures": failures,
        "totals": totals,
    }


def run_summary(found: RunCrawl) -> dict[str, Any]:
    """The run itself."""
    run = found.run
    return {
        "dag_id": run.dag_id,
        "run_id": run.run_id,
        "state": run.state,
        "started": plain(run.started),
        "ended": plain(run.ended),
        "crawl": found.crawl.root.name,
        "depth": run.conf.get("depth"),
    }


def _head(found: RunCrawl, session: Session, depths: Sequence[Depth]) -> dict[str, Any]:
    """What the run comes to over all passes of its depths: each URL counts as it was last had.

    newest: the segment that was made last. again: answers that a later pass has replaced.
    since_start: answers of the segments made since the run was started, or cleared, last.
    """
    again = {"pages": 0, "failed": 0}
    if any(depth.claim.redo for depth in depths):
        again = session.rows("web_superseded")[0]
    started = found.run.started
    fresh = [d for d in depths if started and datetime.fromisoformat(d.claim.now) >= started]
    newest = max(depths, key=lambda depth: depth.claim.now, default=None)
    return {
        "newest": newest.segment.name if newest else None,
        "asked": sum(depth.asked for depth in depths) - again["pages"],
        "failed": sum(depth.failed for depth in depths) - again["failed"],
        "again": again["pages"],
        "since_start": sum(depth.asked for depth in fresh),
    }


def _live(running: Sequence[Depth], now: datetime) -> dict[str, Any] | None:
    """The running fetches together; None when none runs."""
    told = [state for depth in running for state in depth.live.values()]
    if not told:
        return None
    states: Counter[str] = Counter()
    waiting: list[list[Any]] = []
    for state in told:
        hosts = state.get("hosts", {})
        states.update(hosts.get("states", {}))
        waiting += hosts.get("waiting", [])
    ends = [expected_end_s(depth, now) for depth in running]
    known = [seconds for seconds in ends if seconds is not None]
    age = (now - max(state["time"] for state in told)).total_seconds()
    return {
        "depth": running[-1].claim.depth,
        "lists": len(told),
        "left": sum(state.get("left", 0) for state in told),
        "rate": round(sum(_recent_rate(state) for state in told), 2),
        "hosts": dict(states),
        "waiting": sorted(waiting, key=lambda entry: -entry[1])[:WAITING_MOST],
        "age_s": round(age, 1),
        "stale": age > STALE_S,
        "expected_end": plain(now + timedelta(seconds=max(known))) if known else None,
    }


def _recent_rate(state: dict[str, Any]) -> float:
    """Pages a second over the last samples, else over the whole fetch."""
    samples = state.get("samples", [])[-6:]
    if len(samples) < 2 or samples[-1][0] <= samples[0][0]:
        return float(state.get("rate", 0.0))
    return float((samples[-1][1] - samples[0][1]) / (samples[-1][0] - samples[0][0]))


def _pace(session: Session, depths: Sequence[Depth]) -> dict[str, Any]:
    """Pages and failures a second over the run: from the rows, then from running fetches."""
    span = session.rows("web_span")[0]
    samples = [sample for depth in depths for sample in _increments(depth)]
    times = [*(t for t in span.values() if t is not None), *(time for time, _, _ in samples)]
    if not times:
        return {"step_s": 1, "times": [], "pages": [], "failed": []}
    # Running fetches tell their numbers every few seconds: finer steps would jump.
    step = max(_step(max(times) - min(times)), LIVE_STEP_S if samples else STEPS[0])
    by_time: dict[int, list[int]] = {}
    for row in session.rows("web_pace", step=float(step), most=POINTS_MOST + 2):
        by_time[row["time"]] = [row["pages"], row["failed"]]
    for time, pages, failed in samples:
        if span["last"] is not None and time <= span["last"]:
            continue
        cell = by_time.setdefault(int(time // step * step), [0, 0])
        cell[0] += pages
        cell[1] += failed
    return _filled(by_time, step)


def _increments(depth: Depth) -> Iterable[tuple[float, int, int]]:
    for state in depth.live.values():
        before = (0, 0)
        for time, pages, failed in state.get("samples", []):
            yield time, pages - before[0], failed - before[1]
            before = pages, failed


def _filled(by_time: dict[int, list[int]], step: int) -> dict[str, Any]:
    """Every step from the first to the last, also those in which nothing came; a second's worth."""
    last = max(by_time)
    first = max(min(by_time), last - POINTS_MOST * step)
    times = list(range(first, last + step, step))
    cells = [by_time.get(time, (0, 0)) for time in times]
    return {
        "step_s": step,
        "times": times,
        "pages": [round(cell[0] / step, 3) for cell in cells],
        "failed": [round(cell[1] / step, 3) for cell in cells],
    }


def _step(seconds: float) -> int:
    return next((step for step in STEPS if seconds / step <= POINTS_MOST), STEPS[-1])


def _totals(found: RunCrawl, session: Session) -> dict[str, Any]:
    session.bind_table("hostdb", found.crawl.table("hostdb").current())
    return _plain(session.rows("web_totals")[0])


def _plain(row: dict[str, Any]) -> dict[str, Any]:
    return {name: plain(value) for name, value in row.items()}
