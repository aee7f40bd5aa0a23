"""mergesegs: several finished segments become one."""

import logging
import shutil
import time
from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.errors import CommitConflictError
from crawl_ops.jobs.indexing.done import indexed, note, times_of
from crawl_ops.jobs.merging.choosing import Standing, checked, older_than
from crawl_ops.model import JobReport
from crawl_ops.storage.crawl_dir import CrawlDir, merged_name
from crawl_ops.storage.locks import one_at_a_time
from crawl_ops.storage.segment import Segment
from crawl_ops.storage.segment_merge import merged_info, write_merged
from crawl_ops.storage.session import Session
from crawl_ops.storage.table import VersionedTable

log = logging.getLogger(__name__)


def mergesegs(
    crawl: CrawlDir,
    config: CrawlConfig,
    segments: Sequence[str] | None,
    now: datetime,
    *,
    days: float | None = None,
    dry_run: bool = False,
) -> JobReport:
    """Merge segments into one that holds of each URL what its newest answer brought (Nutch's
    SegmentMerger: a failed try or a 304 does not replace a page).

    segments None: all finished ones older than `days` (crawl.segments.merge.days; 0: none), each
    row of neighbours by itself. What is in the tables and in the index stays there, and the merged
    segment counts as folded, inverted and indexed as its sources were. It takes their place when
    it is described: before, there are the sources; from then on, only it.
    Raises NotFoundError for a segment that does not exist, StoreError for one that is not finished
    (nothing has changed then), CommitConflictError (retryable) if another job is in the way.
    """
    started = time.monotonic()
    counts: Counter[str] = Counter()
    made: list[str] = []
    details: dict[str, Any] = {}
    with one_at_a_time(crawl.root / "crawldb" / ".mergesegs.lock", "mergesegs"):
        if not dry_run and (left := crawl.remove_merged()):
            counts["bytes_before"] += left  # a job before this one was killed at its end
        if segments and (merged := _already(crawl, segments)):
            details["already_done"] = True
            made.append(merged)
        else:
            for sources in _rows(crawl, config, segments, days, now):
                name = merged_name([source.name for source in sources])
                log.info("mergesegs: %s of %s", name, ", ".join(s.name for s in sources))
                made.append(name)
                counts["sources"] += len(sources)
                details.setdefault("sources", []).extend(source.name for source in sources)
                if not dry_run:
                    counts.update(_merge(crawl, config, name, sources, now))
    counts["merged"] = 0 if dry_run or details.get("already_done") else len(made)
    details |= {"dry_run": True} if dry_run else {}
    last = made[-1] if made else None
    report = JobReport("mergesegs", last, dict(counts), time.monotonic() - started, details)
    log.info("mergesegs: %s in %.1f s", report.counts, report.seconds)
    return report


def _already(crawl: CrawlDir, names: Sequence[str]) -> str | None:
    """The merged segment that stands for all of some segments."""
    stood_for = crawl.stood_for()
    found = {stood_for.get(name) for name in names}
    return found.pop() if len(found) == 1 else None


def _rows(
    crawl: CrawlDir,
    config: CrawlConfig,
    segments: Sequence[str] | None,
    days: float | None,
    now: datetime,
) -> list[list[Segment]]:
    """The segments to merge, each row into one."""
    if segments:
        return [checked(Standing.of(crawl), segments)]
    age = config.crawl.segments_merge_days if days is None else days
    if not age and days is None:
        return []
    return [row for row in older_than(Standing.of(crawl), age, now) if len(row) > 1]


def _merge(
    crawl: CrawlDir, config: CrawlConfig, name: str, sources: Sequence[Segment], now: datetime
) -> dict[str, int]:
    """Write the merged segment, let it count for what its sources count, and take their place."""
    merged = crawl.new_segment(name)
    shutil.rmtree(crawl.root / merged.folder, ignore_errors=True)  # of a job that was killed
    with crawl.session(config) as session:
        size = write_merged(session, merged, sources)
        for table in ("crawldb", "hostdb"):
            with crawl.table(table).writing():
                _count_in(crawl.table(table), config, name, now)
        _note_index(crawl, session, merged, sources, now)
    linkdb = crawl.table("linkdb")
    with linkdb.writing():  # no invertlinks is at the sources meanwhile
        names = {source.name for source in sources}
        inverted = names.intersection(linkdb.current().segments)
        if (inverted and inverted != names) or not names.issubset(crawl.segments()):
            raise CommitConflictError(f"{name}: another job has changed a segment; merge again")
        if inverted:
            _count_in(linkdb, config, name, now)
        merged.publish(merged_info(name, sources, size))
        freed = crawl.remove_merged()
    kept = sum(crawl.files.size(path) for path in crawl.files.walk(merged.folder))
    return {"urls": size["urls"], "bytes": kept, "bytes_before": freed}


def _count_in(table: VersionedTable, config: CrawlConfig, name: str, now: datetime) -> None:
    """Let the table, whose writer's lock is held, say that it has the segment; rows stay."""
    current = table.current()
    if name in current.segments:
        return
    commit = table.begin("mergesegs", f"mergesegs:{name}", config, now)
    commit.segments.append(name)
    commit.filters = current.filters
    # Hosts were last counted in that version of the crawldb.
    counted = {key: current.report[key] for key in ("crawldb_version",) if key in current.report}
    commit.publish(JobReport("mergesegs", name, {"rows": commit.rows}, details=counted))


def _note_index(
    crawl: CrawlDir, session: Session, merged: Segment, sources: Sequence[Segment], now: datetime
) -> None:
    """The merged segment is in the index if all its sources are."""
    if indexed(crawl).issuperset(source.name for source in sources):
        note(crawl, merged, {}, times_of(crawl, session, merged), now)
