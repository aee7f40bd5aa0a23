"""updatedb: fold fetched and parsed segments into the crawldb, then count hosts anew."""

import logging
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.errors import CrawlError, StoreError
from crawl_ops.jobs.hosts import update_hostdb
from crawl_ops.model import JobReport
from crawl_ops.storage.crawl_dir import CrawlDir
from crawl_ops.storage.manifest import SLOT_BITS
from crawl_ops.storage.segment import Segment
from crawl_ops.storage.session import Session
from crawl_ops.storage.table import Bucket, Commit, VersionedTable

log = logging.getLogger(__name__)

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
    session.bind("crawldb", "crawldb", [entry.path for entry in commit.parent.files])
    purges = {
        "purge_404": config.db.update_purge_404,
        "purge_orphans": config.db.update_purge_orphans,
    }
    counts: Counter[str] = Counter()
    try:
        for bucket in commit.buckets(_touched(session, commit.bits, purges)):
            counts.update(
                _update_bucket(session, config, commit, bucket, segment, additions, purges)
            )
    except CrawlError:
        commit.abandon()
        raise
    commit.segments.append(segment.name)
    report = JobReport(
        "updatedb",
        segment.name,
        {name: number for name, number in sorted(counts.items()) if number},
        time.monotonic() - started,
        {"version": commit.version, "urls": commit.rows},
    )
    commit.publish(report)
    return report


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


def _update_bucket(
    session: Session,
    config: CrawlConfig,
    commit: Commit,
    bucket: Bucket,
    segment: Segment,
    additions: bool,
    purges: dict[str, bool],
) -> dict[str, int]:
    """Write the new rows of a bucket; returns counts for the report."""
    slots = {"lo": bucket.lo, "hi": bucket.hi}
    session.bind_bucket("crawldb", "crawldb", bucket)
    if any(purges.values()):
        session.create("known", "updatedb_known", **purges)
    else:
        session.bind_bucket("known", "crawldb", bucket)
    session.create("crowded", "updatedb_crowded", max_inlinks=config.db.update_max_inlinks, **slots)
    session.create("linked", "updatedb_linked", max_inlinks=config.db.update_max_inlinks, **slots)
    session.create("described", "updatedb_described", now=commit.now, **slots)
    session.create("fetched", "updatedb_fetched", **slots)
    session.create(
        "outcome",
        "updatedb_outcome",
        segment=segment.name,
        additions_allowed=additions,
        delete_failed_parse=config.parser.delete_failed_parse,
        retry_max=config.db.fetch_retry_max,
        rules=_rules(config),
        parse_keys=list(config.db.parsemeta_to_crawldb),
    )
    entry = session.copy_bucket(
        "updatedb",
        "crawldb",
        bucket,
        commit.data_path(bucket),
        now=commit.now,
        interval_default=config.db.fetch_interval_default,
        additions_allowed=additions,
    )
    commit.replace(bucket, entry)
    return _balanced(session, bucket, entry.rows if entry else 0, additions)


def _rules(config: CrawlConfig) -> dict[str, Any]:
    """What the schedule macros read, in seconds."""
    return {
        "interval_default": config.db.fetch_interval_default,
        "interval_max": config.db.fetch_interval_max,
        "inc_rate": config.db.adaptive_inc_rate,
        "dec_rate": config.db.adaptive_dec_rate,
        "min_interval": config.db.adaptive_min_interval,
        "max_interval": config.db.adaptive_max_interval,
        "sync_delta": config.db.adaptive_sync_delta,
        "sync_delta_rate": config.db.adaptive_sync_delta_rate,
    }


def _balanced(session: Session, bucket: Bucket, rows: int, additions: bool) -> dict[str, int]:
    """Counts of a bucket. Raises StoreError if rows were lost or doubled."""
    counts = session.rows("updatedb_balance", additions_allowed=additions)[0]
    wanted = counts["known"] + counts["added"]
    if rows != wanted:
        raise StoreError(
            f"crawldb, slots {bucket.lo} to {bucket.hi}: {rows} rows after updatedb, not {wanted}"
            f" ({counts['known']} known, {counts['added']} new); nothing was committed"
        )
    statuses = {row["status"]: row["urls"] for row in session.rows("updatedb_statuses")}
    return {
        **statuses,
        "added": counts["added"],
        "purged": counts["old"] - counts["known"],
        "older_fetch_ignored": counts["ignored"],
        "not_added": counts["not_added"],
        "key_collisions": counts["key_collisions"],
    }
