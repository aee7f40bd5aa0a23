"""invertlinks: who links to a URL, and with which anchor."""

import logging
import time
from collections.abc import Sequence
from datetime import datetime

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.errors import CrawlError, StoreError
from crawl_ops.model import JobReport
from crawl_ops.storage.crawl_dir import CrawlDir
from crawl_ops.storage.segment import Segment
from crawl_ops.storage.session import Session
from crawl_ops.storage.table import Bucket, Commit

log = logging.getLogger(__name__)


def invertlinks(
    crawl: CrawlDir, config: CrawlConfig, segments: Sequence[str] | None, now: datetime
) -> JobReport:
    """Add the links of segments to the linkdb (Nutch rules 13); None: of all that are parsed.

    A segment that is in the linkdb already is left out. Links of old segments stay.
    Raises NotFoundError for a segment that does not exist, StoreError for one that is not parsed
    to its end, CommitConflictError (retryable) if another job committed first.
    """
    started = time.monotonic()
    table = crawl.table("linkdb")
    if config.linkdb.ignore_internal_links and config.linkdb.ignore_external_links:
        return JobReport("invertlinks", details={"reason": "all links are ignored"})
    with crawl.session(config) as session, table.writing():
        # Under the lock: segments may have been merged while this waited.
        asked = _parsed(crawl) if segments is None else _checked(crawl, segments)
        inverted = set(table.current().segments)
        todo = [asked[name] for name in sorted(asked) if name not in inverted]
        if not todo:
            return JobReport("invertlinks", details={"already_done": True, "segments": 0})
        names = [segment.name for segment in todo]
        log.info("invertlinks: %s", ", ".join(names))
        commit = table.begin("invertlinks", _operation(names), config, now)
        try:
            _write(session, commit, todo, config)
        except CrawlError:
            commit.abandon()
            raise
        commit.segments.extend(names)
        counts = {"links": commit.rows, "new": commit.rows - commit.parent.rows}
        details = {"segments": len(names), "version": commit.version}
        report = JobReport("invertlinks", names[-1], counts, time.monotonic() - started, details)
        commit.publish(report)
    log.info("invertlinks: %s in %.1f s", report.counts, report.seconds)
    return report


def _operation(names: Sequence[str]) -> str:
    more = f"+{len(names) - 1}" if len(names) > 1 else ""
    return f"invertlinks:{names[-1]}{more}"


def _parsed(crawl: CrawlDir) -> dict[str, Segment]:
    """Segments whose lists are all parsed."""
    found = map(crawl.segment, crawl.segments())
    return {segment.name: segment for segment in found if not _unparsed(segment)}


def _checked(crawl: CrawlDir, names: Sequence[str]) -> dict[str, Segment]:
    found = {segment.name: segment for segment in map(crawl.segment, names)}
    for segment in found.values():
        if unparsed := _unparsed(segment):
            raise StoreError(
                f"segment {segment.name}: list {unparsed[0]} is not parsed to its end;"
                f" run parse {segment.name} --partition {unparsed[0]} first"
            )
    return found


def _unparsed(segment: Segment) -> list[int]:
    return [number for number in segment.lists() if segment.done("parse", number) is None]


def _write(
    session: Session, commit: Commit, segments: Sequence[Segment], config: CrawlConfig
) -> None:
    slots: set[int] = set()
    rows = 0
    for segment in segments:
        session.bind_part(segment, "crawl_parse")
        for row in session.rows("invertlinks_slots", **_scope(config)):
            slots.add(row["slot"])
            rows += row["n"]
    commit.spread(rows)
    for bucket in commit.buckets((slot, slot) for slot in sorted(slots)):
        _bucket(session, commit, bucket, segments, config)


def _scope(config: CrawlConfig) -> dict[str, bool]:
    return {
        "ignore_internal": config.linkdb.ignore_internal_links,
        "ignore_external": config.linkdb.ignore_external_links,
    }


def _bucket(
    session: Session,
    commit: Commit,
    bucket: Bucket,
    segments: Sequence[Segment],
    config: CrawlConfig,
) -> None:
    session.bind_rows("links", "linkdb", [])
    for segment in segments:
        session.bind_part(segment, "crawl_parse")
        session.append(
            "links",
            "invertlinks_links",
            lo=bucket.lo,
            hi=bucket.hi,
            segment=segment.name,
            max_anchor=config.linkdb.max_anchor_length,
            **_scope(config),
        )
    session.bind_bucket("linkdb", "linkdb", bucket)
    session.create("united", "invertlinks_united")
    limit = config.linkdb.max_inlinks
    session.drop("links")
    path = commit.data_path(bucket)
    if session.create("crowded", "invertlinks_crowded", max_inlinks=limit):
        entry = session.copy_bucket("invertlinks", "linkdb", bucket, path, max_inlinks=limit)
    else:
        entry = session.copy_bucket("invertlinks_all", "linkdb", bucket, path)
    commit.replace(bucket, entry)
