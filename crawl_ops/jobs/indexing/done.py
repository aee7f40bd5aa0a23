"""Which segments are in the index: index/segments/<segment>.json, written after its commit."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from crawl_ops.storage.crawl_dir import CrawlDir
from crawl_ops.storage.segment import Segment
from crawl_ops.storage.session import Session

INDEXED = "index/segments"


@dataclass(frozen=True, slots=True)
class Times:
    """When the first and the last page of a segment were fetched; None: it has no pages."""

    first: datetime | None
    last: datetime | None


def indexed(crawl: CrawlDir) -> set[str]:
    """Names of the segments that were indexed."""
    return {name.removesuffix(".json") for name in crawl.files.names(INDEXED)}


def unseen(crawl: CrawlDir) -> list[str]:
    """Segments that were folded into the crawldb, and not indexed yet."""
    seen, there = indexed(crawl), set(crawl.segments())
    folded = crawl.table("crawldb").current().segments
    return [name for name in folded if name not in seen and name in there]


def note(
    crawl: CrawlDir, segment: Segment, counts: Mapping[str, int], times: Times, now: datetime
) -> None:
    """Remember that a segment is in the index."""
    plain = {
        "segment": segment.name,
        "time": now.isoformat(),
        "counts": dict(counts),
        "fetched": [moment and moment.isoformat() for moment in (times.first, times.last)],
    }
    crawl.files.put(f"{INDEXED}/{segment.name}.json", json.dumps(plain).encode())


def times_of(crawl: CrawlDir, session: Session, segment: Segment) -> Times:
    """From its note, or from its crawl_fetch."""
    path = f"{INDEXED}/{segment.name}.json"
    if crawl.files.exists(path):
        found = json.loads(crawl.files.read(path)).get("fetched")
        if found:
            return Times(*(moment and datetime.fromisoformat(moment) for moment in found))
    session.bind_part(segment, "crawl_fetch")
    (row,) = session.rows("index_times")
    return Times(row["first"], row["last"])
