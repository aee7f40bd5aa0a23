"""updatedb: fold fetched and parsed segments into the crawldb, then count hosts anew."""

import itertools
import logging
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.errors import CrawlError, StoreError
from crawl_ops.jobs.hosts import update_hostdb
from crawl_ops.jobs.updating.bucket import Folding
from crawl_ops.model import JobReport
from crawl_ops.storage.crawl_dir import CrawlDir
from crawl_ops.storage.manifest import SLOT_BITS, SLOTS, Bucket
from crawl_ops.storage.merged import Overlay
from crawl_ops.storage.rewrite import lay_over, may_lie_over, rewrite
from crawl_ops.storage.segment import Segment
from crawl_ops.storage.session import Session
from crawl_ops.storage.table import Commit, VersionedTable
from crawl_ops.storage.uniting import laid_by_same_depth

log = logging.getLogger(__name__)

MANY_BUCKETS = 4  # so many are worth a copy of what was fetched, sorted by bucket
SORTED_ROWS = 125_000  # of that at once, but at most eight times

SCHEDULES = {
    "DefaultFetchSchedule": "schedule/default",
    "AdaptiveFetchSchedule": "schedule/adaptive",
}


def updatedb(
    crawl: CrawlDir,
    config: CrawlConfig,
    segments: Sequence[str],
    now: datetime,
    *,
    additions_allowed: bool | None = None,
) -> JobReport:
    """Fold segments into the crawldb, in the order of their names (Nutch rules 10 to 12).

    A segment that was folded in already changes nothing; if all were, their report comes back.
    additions_allowed: whether links add URLs; None: db.update.additions.allowed.
    Raises NotFoundError for a segment that does not exist, StoreError for one that is not fetched
    or not parsed to its end, CommitConflictError (retryable) if another job committed first.
    """
    started = time.monotonic()
    additions = (
        config.db.update_additions_allowed if additions_allowed is None else additions_allowed
    )
    found = {segment.name: segment for segment in map(crawl.segment, segments)}
    ordered = [found[name] for name in sorted(found)]
    table = crawl.table("crawldb")
    for segment in _unfolded(table, ordered):
        _check_finished(segment, config)
    log.info("updatedb: %s", ", ".join(found) or "no segment")
    reports = [_fold(crawl, config, table, segment, now, additions) for segment in ordered]
    report = _together(reports, time.monotonic() - started)
    log.info("updatedb: %s in %.1f s", report.counts, report.seconds)
    return report


def _unfolded(table: VersionedTable, segments: Iterable[Segment]) -> list[Segment]:
    folded = set(table.current().segments)
    return [segment for segment in segments if segment.name not in folded]


def _check_finished(segment: Segment, config: CrawlConfig) -> None:
    for number in segment.lists():
        if segment.done("fetch", number) is None:
            raise StoreError(
                f"segment {segment.name}: list {number} is not fetched to its end;"
                f" run fetch {segment.name} --partition {number} first"
            )
    for number in segment.lists():
        stored = config.fetcher.store_content and segment.part_files("content", [number])
        if stored and segment.done("parse", number) is None:
            raise StoreError(
                f"segment {segment.name}: list {number} is not parsed to its end;"
                f" run parse {segment.name} --partition {number} first"
            )


def _together(reports: Sequence[JobReport], seconds: float) -> JobReport:
    if len(reports) == 1:
        return reports[0]
    counts: Counter[str] = Counter()
    for report in reports:
        counts.update(report.counts)
    names = [report.segment for report in reports]
    done = bool(reports) and all(report.details.get("already_done") for report in reports)
    details = {"segments": names} | ({"already_done": True} if done else {})
    return JobReport("updatedb", None, dict(counts), seconds, details)


def _fold(
    crawl: CrawlDir,
    config: CrawlConfig,
    table: VersionedTable,
    segment: Segment,
    now: datetime,
    additions: bool,
) -> JobReport:
    """One segment: a commit of the crawldb, then one of the hostdb; what is there stays."""
    operation = f"updatedb:{segment.name}"
    with crawl.session(config) as session:
        _bind_segment(session, segment)
        report = _stored(table, segment, operation)
        if report is None:
            with table.writing():
                report = _stored(table, segment, operation) or _update(
                    session,
                    config,
                    table.begin("updatedb", operation, config, now),
                    segment,
                    additions,
                )
        update_hostdb(crawl, config, session, segment.name, now)
    return report


def _stored(table: VersionedTable, segment: Segment, operation: str) -> JobReport | None:
    """The report of a segment that is folded in, or None."""
    if report := table.done(operation):
        return report
    if segment.name in table.current().segments:
        return JobReport("updatedb", segment.name, details={"already_done": True})
    return None


def _bind_segment(session: Session, segment: Segment) -> None:
    for part in ("crawl_fetch", "crawl_parse", "parse_data", "robots"):
        session.bind_part(segment, part)


def _update(
    session: Session, config: CrawlConfig, commit: Commit, segment: Segment, additions: bool
) -> JobReport:
    started = time.monotonic()
    _define(session, config)
    session.drop("shifts")
    folding = Folding(session, commit, segment.name, additions)
    try:
        counts = _write(session, commit, folding)
    except CrawlError:
        commit.abandon()
        raise
    commit.segments.append(segment.name)
    commit.filters = segment.filters()
    report = JobReport(
        "updatedb",
        segment.name,
        {name: number for name, number in sorted(counts.items()) if number},
        time.monotonic() - started,
        {"version": commit.version, "urls": commit.rows},
    )
    commit.publish(report)
    return report


def _write(session: Session, commit: Commit, folding: Folding) -> Counter[str]:
    """A small round is laid over the crawldb; else the buckets that it touches are written."""
    rows = session.rows("updatedb_size")[0]["n"]
    last = laid_by_same_depth(commit.parent, session.files, folding.segment)
    if not folding.keep and may_lie_over(commit, rows, last):
        lay_over(session, commit, folding.overlay(commit.parent.bucket(), small=True), last)
        folding.count()
        return folding.counted
    session.keep_memory()
    with session.one_thread():  # two are busy for a fifth of the time, and take a tenth more
        return _rewritten(session, commit, folding)


def _rewritten(session: Session, commit: Commit, folding: Folding) -> Counter[str]:
    """The buckets that a round touches, written one after the other."""
    purges = {
        "purge_404": commit.config.db.update_purge_404,
        "purge_orphans": commit.config.db.update_purge_orphans,
    }
    session.bind_table("crawldb", commit.parent)
    buckets = commit.buckets(_touched(session, commit.bits, purges))
    if len(buckets) >= MANY_BUCKETS:
        _by_slot(session)
    for bucket in buckets:
        overlay = folding.overlay(bucket)
        rows = rewrite(session, commit, bucket, overlay, folding.keep)
        folding.count()
        folding.counted["purged"] += _lost(
            session, bucket, overlay, rows, purging=any(purges.values())
        )
    return folding.counted


def _by_slot(session: Session) -> None:
    """Let crawl_fetch and parse_data lie on disk in the order of buckets."""
    pieces = min(8, session.count("crawl_fetch") // SORTED_ROWS + 1)
    ends = [SLOTS * number // pieces for number in range(pieces + 1)]
    ranges = [{"lo": lo, "hi": end - 1} for lo, end in itertools.pairwise(ends)]
    session.bind_spooled("crawl_fetch", [("updatedb_fetch_by_slot", r) for r in ranges])
    session.bind_spooled("parse_data", [("updatedb_parse_by_slot", r) for r in ranges])


def _lost(session: Session, bucket: Bucket, overlay: Overlay, rows: int, *, purging: bool) -> int:
    """How many rows were purged. Raises StoreError if others were lost or doubled."""
    old = session.stored("crawldb", bucket)
    known = session.count("known") if purging else old
    if rows != known + overlay.rows_added:
        raise StoreError(
            f"crawldb, slots {bucket.lo} to {bucket.hi}: {rows} rows after updatedb, not"
            f" {known + overlay.rows_added} ({known} known, {overlay.rows_added} new);"
            " nothing was committed"
        )
    return old - known


def _define(session: Session, config: CrawlConfig) -> None:
    """The macros that the configuration names."""
    session.define(SCHEDULES[config.db.fetch_schedule_class])
    session.define("schedule/failed")
    session.define("scoring/shares")
    session.define("scoring/opic" if "opic" in config.scoring.filter_order else "scoring/none")
    session.define("metadata")


def _touched(session: Session, bits: int, purges: dict[str, bool]) -> list[tuple[int, int]] | None:
    """Slot ranges of the buckets that change; None if there is one bucket only."""
    if bits == 0:
        return None
    shift = SLOT_BITS - bits
    rows = session.rows("updatedb_touched", shift=shift, **purges)
    return [(row["bucket"] << shift, (row["bucket"] + 1 << shift) - 1) for row in rows]
