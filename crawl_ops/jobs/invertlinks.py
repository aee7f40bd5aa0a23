"""invertlinks: who links to a URL, and with which anchor."""

import logging
import time
from collections.abc import Sequence
from datetime import datetime

from crawl_ops.config.properties import CrawlConfig
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
    """
    started = time.monotonic()
    table = crawl.table("linkdb")
    if config.linkdb.ignore_internal_links and config.linkdb.ignore_external_links:
        return JobReport("invertlinks", details={"reason": "all links are ignored"})
    with crawl.session(config) as session, table.writing():
        inverted = set(table.current().segments)
        asked = _parsed(crawl) if segments is None else list(segments)
        todo = [s for s in (crawl.segment(n) for n in sorted(set(asked))) if s.name not in inverted]
        if not todo:
            return JobReport("invertlinks", details={"already_done": True, "segments": 0})
        names = [segment.name for segment in todo]
        log.info("invertlinks: %s", ", ".join(names))
        commit = table.begin("invertlinks", "invertlinks:" + "+".join(names), config, now)
        _write(session, commit, todo, config)
        commit.segments.extend(names)
        before = commit.parent.rows
        counts = {"links": commit.rows, "new": commit.rows - before}
        details = {"segments": len(names), "version": commit.version}
        report = JobReport("invertlinks", names[-1], counts, time.monotonic() - started, details)
        commit.publish(report)
    log.info("invertlinks: %s in %.1f s", report.counts, report.seconds)
    return report


def _parsed(crawl: CrawlDir) -> list[str]:
    """Segments whose lists are all parsed."""
    names = crawl.segments()
    return [name for name in names if _is_parsed(crawl.segment(name))]


def _is_parsed(segment: Segment) -> bool:
    return all(segment.done("parse", number) is not None for number in segment.lists())


def _write(
    session: Session, commit: Commit, segments: Sequence[Segment], config: CrawlConfig
) -> None:
    slots: set[int] = set()
    rows = 0
    for segment in segments:
        session.bind_part(segment, "crawl_parse")
        for row in session.rows("invertlinks_slots"):
            slots.add(row["slot"])
            rows += row["n"]
    commit.spread(rows)
    for bucket in commit.buckets((slot, slot) for slot in slots):
        _bucket(session, commit, bucket, segments, config)


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
            ignore_internal=config.linkdb.ignore_internal_links,
            ignore_external=config.linkdb.ignore_external_links,
        )
    session.bind_bucket("linkdb", "linkdb", bucket)
    path = commit.data_path(bucket)
    limit = config.linkdb.max_inlinks
    commit.replace(
        bucket, session.copy_bucket("invertlinks", "linkdb", bucket, path, max_inlinks=limit)
    )
