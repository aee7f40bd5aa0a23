"""generate: make a segment of the URLs that are due, as fetch lists."""

import json
import logging
import time
import uuid
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.jobs.fetch_lists import ListLoad, balanced
from crawl_ops.jobs.generating.claiming import claimed
from crawl_ops.jobs.generating.claiming import open_segments as open_segments
from crawl_ops.jobs.generating.lists import loads_of, write_lists
from crawl_ops.jobs.generating.note import HELD, held, holders, nothing
from crawl_ops.jobs.generating.selection import bind_selected
from crawl_ops.jobs.generating.wish import Again, RedoWhat, Wish
from crawl_ops.model import JobReport
from crawl_ops.storage.crawl_dir import CrawlDir
from crawl_ops.storage.locks import one_at_a_time
from crawl_ops.storage.runs import Claim
from crawl_ops.storage.segment import Segment

log = logging.getLogger(__name__)


def generate(
    crawl: CrawlDir,
    config: CrawlConfig,
    now: datetime,
    *,
    run_id: str | None = None,
    depth: int | None = None,
    topn: int | None = None,
    num_fetchers: int | None = None,
    add_days: float = 0,
    force: bool = False,
    redo: RedoWhat = "failed",
    again: Again | None = None,
) -> JobReport:
    """Select due URLs into a new segment (Nutch rules 4.1 to 4.4); segment None if nothing is due.

    run_id, depth: asked again for the same, the segment made then is returned; if that was folded
    into the crawldb already, a new segment redoes what failed in it (redo "all": everything;
    "none": nothing). again: select what failed in an earlier run instead of what is due.
    add_days: as if it were so many days later. force: URLs of open segments are selected too.
    details["note"]: why nothing was selected, or which due URLs others hold, with segment and run.
    Raises NotFoundError for an earlier run that this crawl does not know.
    """
    started = time.monotonic()
    wish = Wish(
        config.generate.topn if topn is None else topn,
        num_fetchers or config.generate.num_fetchers,
        redo,
        again,
    )
    cur_time = now + timedelta(days=add_days)
    # Two at once would select the same URLs: neither sees the other's segment before it is there.
    with one_at_a_time(crawl.root / "crawldb" / ".generate.lock", "generate"):
        manifest = crawl.table("crawldb").current()
        marks = () if force else open_segments(crawl, config, manifest, cur_time)
        fresh = Claim(
            run_id=run_id or "",
            depth=depth or 0,
            redo=0,
            segment=_segment_name(now),
            now=now.isoformat(),
            cur_time=cur_time.isoformat(),
            crawldb_version=manifest.version,
            open_segments=marks,
        )
        taken = claimed(crawl, config, manifest, fresh, wish)
        segment = crawl.new_segment(taken.segment)
        if _is_made(crawl, segment):
            return _report(segment, started, already_done=True)
        counts = Counter[str]()
        if taken.redo >= 0:
            counts = _make(crawl, config, segment, _with_marks(taken, marks), wish)
    if not _is_made(crawl, segment):
        return _nothing(crawl, config, taken, counts, started)
    report = _report(segment, started)
    log.info("generate %s: %s in %.1f s", report.segment, report.counts, report.seconds)
    if note := report.details.get("note"):
        log.info("generate %s: %s", report.segment, note)
    return report


def _nothing(
    crawl: CrawlDir, config: CrawlConfig, taken: Claim, counts: Counter[str], started: float
) -> JobReport:
    why = nothing(counts, holders(crawl, taken.open_segments), config)
    # That another run holds what is due is not the end of the crawl: a person should see it.
    log.log(logging.WARNING if counts[HELD] else logging.INFO, "generate: %s", why)
    details: dict[str, Any] = {"lists": [], "note": why}
    return JobReport("generate", None, dict(counts), time.monotonic() - started, details)


def _with_marks(taken: Claim, marks: Sequence[str]) -> Claim:
    """An earlier claim whose segment never came to be leaves out what others hold by now."""
    return replace(taken, open_segments=tuple(sorted({*taken.open_segments, *marks})))


def _is_made(crawl: CrawlDir, segment: Segment) -> bool:
    return crawl.files.exists(f"{segment.folder}/segment.json")


def _segment_name(now: datetime) -> str:
    return f"{now:%Y%m%d%H%M%S}-{now.microsecond // 1000:03}{uuid.uuid4().hex[:8]}"


def _make(
    crawl: CrawlDir,
    config: CrawlConfig,
    segment: Segment,
    taken: Claim,
    wish: Wish,
) -> Counter[str]:
    """Write the fetch lists, and segment.json unless there is nothing to fetch."""
    manifest = crawl.table("crawldb").version(taken.crawldb_version)
    for path in list(crawl.files.walk(f"{segment.folder}/crawl_generate")):
        crawl.files.remove(path)  # lists of a generate that was killed
    with crawl.session(config) as session:
        counts = bind_selected(session, crawl, config, manifest, taken, wish)
        loads = loads_of(session, crawl, config)
        if loads:
            lists = balanced(loads, wish.num_fetchers)
            with session.one_thread():  # each more holds wide rows
                lowest = write_lists(session, config, manifest.buckets(), segment, taken, lists)
            info = _info(config, taken, lists, counts, lowest)
            if others := held(counts, holders(crawl, taken.open_segments)):
                info["selection"]["note"] = others
            segment.publish(info)
    return counts


def _info(
    config: CrawlConfig,
    taken: Claim,
    lists: Sequence[ListLoad],
    counts: Counter[str],
    lowest: dict[str, Any] | None,
) -> dict[str, Any]:
    return {
        "created": taken.now,
        "cur_time": taken.cur_time,
        "run_id": taken.run_id or None,
        "depth": taken.depth or None,
        "redo": taken.redo,
        "of_segment": taken.of_segment,
        "of_segments": taken.of_segments,
        "crawldb_version": taken.crawldb_version,
        "selection": {"counts": dict(counts), "lowest": lowest},
        "lists": [
            {
                "list": number,
                "urls": load.urls,
                "hosts": load.hosts,
                "expected_s": round(load.expected_s, 1),
            }
            for number, load in enumerate(lists)
        ],
        "config": json.loads(json.dumps(config.as_properties(), default=str)),
    }


def _report(segment: Segment, started: float, *, already_done: bool = False) -> JobReport:
    info = segment.info()
    details: dict[str, Any] = {"lists": info["lists"], "redo": info["redo"]}
    if already_done:
        details["already_done"] = True
    elif note := info["selection"].get("note"):
        details["note"] = note
    counts = {**info["selection"]["counts"], "urls": sum(e["urls"] for e in info["lists"])}
    return JobReport("generate", segment.name, counts, time.monotonic() - started, details)
