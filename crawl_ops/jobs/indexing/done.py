"""Which segments are in the index: index/segments/<segment>.json, written after its commit.

It names the index it is about: one that was removed and made anew does not have the segment.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from crawl_ops.errors import StoreError
from crawl_ops.index.tantivy_index import index_id
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
    here = index_id(crawl.index_location)
    names = [name.removesuffix(".json") for name in crawl.files.names(INDEXED)]
    return {name for name in names if _is_about(crawl, name, here)}


def is_indexed(crawl: CrawlDir, name: str) -> bool:
    """Whether a segment was indexed."""
    there = crawl.files.exists(f"{INDEXED}/{name}.json")
    return there and _is_about(crawl, name, index_id(crawl.index_location))


def _is_about(crawl: CrawlDir, name: str, here: str | None) -> bool:
    # None: written by other writers than tantivy (or by an older crawl_ops).
    noted = _note(crawl, name).get("index")
    return noted is None or noted == here


def _note(crawl: CrawlDir, name: str) -> dict[str, Any]:
    path = f"{INDEXED}/{name}.json"
    try:
        return dict(json.loads(crawl.files.read(path)))
    except (ValueError, TypeError):
        raise StoreError(f"{crawl.files.location(path)}: is no note of an index job") from None


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
        "index": index_id(crawl.index_location),
        "time": now.isoformat(),
        "counts": dict(counts),
        "fetched": [moment and moment.isoformat() for moment in (times.first, times.last)],
    }
    crawl.files.put(f"{INDEXED}/{segment.name}.json", json.dumps(plain).encode())


def times_of(crawl: CrawlDir, session: Session, segment: Segment) -> Times:
    """From its note, or from its crawl_fetch."""
    noted = crawl.files.exists(f"{INDEXED}/{segment.name}.json")
    if noted and (found := _note(crawl, segment.name).get("fetched")):
        return Times(*(moment and datetime.fromisoformat(moment) for moment in found))
    session.bind_part(segment, "crawl_fetch")
    (row,) = session.rows("index_times")
    return Times(row["first"], row["last"])
