"""index: from parsed pages to documents."""

import json
import logging
import time
from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.index.document import Record
from crawl_ops.index.indexing_filters import IndexingFilters
from crawl_ops.index.writers import IndexWriters
from crawl_ops.model import JobReport
from crawl_ops.storage.crawl_dir import CrawlDir
from crawl_ops.storage.segment import Segment
from crawl_ops.storage.session import Session

log = logging.getLogger(__name__)

BATCH_ROWS = 200
DONE = "index/segments"


def index(
    crawl: CrawlDir, config: CrawlConfig, segments: Sequence[str] | None, now: datetime
) -> JobReport:
    """Add the pages of segments to the index, and take out what may not be there (Nutch rules 14).

    segments None: all that were folded into the crawldb and are not in the index yet. Pages that
    are gone, redirected, duplicates or noindex leave the index; a failed try changes nothing.
    """
    started = time.monotonic()
    names = _unseen(crawl) if segments is None else sorted(set(segments))
    todo = [crawl.segment(name) for name in names]
    counts: Counter[str] = Counter()
    with crawl.session(config) as session:
        for segment in todo:
            counts.update(_index(crawl, config, session, segment, now))
    report = JobReport(
        "index",
        todo[-1].name if todo else None,
        dict(counts),
        time.monotonic() - started,
        {"segments": len(todo)},
    )
    log.info("index: %s in %.1f s", report.counts, report.seconds)
    return report


def _unseen(crawl: CrawlDir) -> list[str]:
    seen = {name.removesuffix(".json") for name in crawl.files.names(DONE)}
    there = set(crawl.segments())
    folded = crawl.table("crawldb").current().segments
    return [name for name in folded if name not in seen and name in there]


def _index(
    crawl: CrawlDir, config: CrawlConfig, session: Session, segment: Segment, now: datetime
) -> Counter[str]:
    counts: Counter[str] = Counter()
    filters = IndexingFilters(config)
    _bind(crawl, session, segment)
    with IndexWriters(config, crawl.index_location) as writers:
        rows = session.batches(
            "index",
            BATCH_ROWS,
            segment=segment.name,
            delete=config.indexer.delete,
            delete_noindex=config.indexer.delete_robots_noindex,
            delete_failed=config.parser.delete_failed_parse,
            skip_notmodified=config.indexer.skip_notmodified,
        )
        for batch in rows:
            for row in batch:
                counts[_apply(row, segment, filters, writers, config)] += 1
        for refusal in writers.commit():
            counts["refused"] += 1
            log.warning("index: %s refused: %s", refusal.id, refusal.reason)
    note = {"segment": segment.name, "time": now.isoformat(), "counts": dict(counts)}
    crawl.files.create(f"{DONE}/{segment.name}.json", json.dumps(note).encode())
    return counts


def _bind(crawl: CrawlDir, session: Session, segment: Segment) -> None:
    for part in ("crawl_fetch", "parse_data", "parse_text"):
        session.bind_part(segment, part)
    session.create("keys", "index_keys")
    for name, query in (("crawldb", "index_db"), ("linkdb", "index_anchors")):
        files = [entry.path for entry in crawl.table(name).current().files]
        session.bind(name, name, files)
        session.create(query, query)
    session.bind_part(segment, "content", "headers_of")


def _apply(
    row: dict[str, Any],
    segment: Segment,
    filters: IndexingFilters,
    writers: IndexWriters,
    config: CrawlConfig,
) -> str:
    """Carry out what the SELECT decided for a page; returns what was done."""
    if row["action"] == "delete":
        writers.delete(row["url"])
        return "deleted"
    if row["action"] != "add":
        return f"skipped.{row['action']}"
    indexed = filters.document(_record(row, segment))
    if indexed.document is None:
        if config.indexer.delete_skipped_by_indexingfilter:
            writers.delete(row["url"])
        return f"skipped.{indexed.rejected_by}"
    writers.write(indexed.document)
    return "indexed"


def _record(row: dict[str, Any], segment: Segment) -> Record:
    return Record(
        url=row["url"],
        host=row["host"],
        domain=row["domain"],
        title=row["title"],
        text=row["text"],
        fetch_time=row["fetch_time"],
        modified_time=row["modified_time"],
        score=row["score"],
        signature=row["signature"].hex() if row["signature"] else None,
        segment=segment.name,
        content_type=row["content_type"],
        language=row["language"],
        noarchive=row["noarchive"],
        anchors=row["anchors"] or (),
        parse_metadata=json.loads(row["parse_metadata"] or "{}"),
        db_metadata=_texts(json.loads(row["db_metadata"] or "{}")),
        headers=[(name, value) for name, value in json.loads(row["headers"] or "[]")],
    )


def _texts(metadata: dict[str, Any]) -> dict[str, str]:
    return {name: str(value) for name, value in metadata.items()}
