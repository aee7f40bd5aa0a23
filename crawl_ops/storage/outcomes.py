"""What a job made of a fetch list, as counts.

Where one attempt has written everything, its files are simply counted; the engine is loaded only
to find out which of several attempts counts for a URL.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.storage.crawl_dir import CrawlDir
from crawl_ops.storage.segment import Segment


def fetch_counts(
    crawl: CrawlDir, config: CrawlConfig, segment: Segment, number: int
) -> dict[str, int]:
    """URLs of a list by fetch status, and those left out by rule, over all attempts."""
    if segment.has_several_attempts([number]):
        return _asked(crawl, config, segment, number, "fetch_counts", ("crawl_fetch", "rejected"))
    counts: Counter[str] = Counter()
    for (status,) in _rows(segment, "crawl_fetch", number, ["fetch_status"]):
        counts[status] += 1
    left = {
        (rule, k)
        for k, step, rule, from_url in _rows(
            segment, "rejected", number, ["k", "step", "rule", "from_url"]
        )
        if step == "fetch" and from_url is None
    }
    if left:
        fetched = {k for (k,) in _rows(segment, "crawl_fetch", number, ["k"])}
        counts.update(f"left.{rule}" for rule, k in left if k not in fetched)
    return dict(sorted(counts.items()))


def parse_counts(
    crawl: CrawlDir, config: CrawlConfig, segment: Segment, number: int
) -> dict[str, int]:
    """Pages of a list by parse status, and links."""
    if segment.has_several_attempts([number]):
        return _asked(crawl, config, segment, number, "parse_counts", ("parse_data", "crawl_parse"))
    counts = Counter(status for (status,) in _rows(segment, "parse_data", number, ["parse_status"]))
    counts["links"] = 0
    for file in segment.part_files("crawl_parse", [number]):
        with segment.open_part(file, "crawl_parse") as parquet:
            counts["links"] += parquet.metadata.num_rows
    return dict(sorted(counts.items()))


def _asked(
    crawl: CrawlDir,
    config: CrawlConfig,
    segment: Segment,
    number: int,
    query: str,
    parts: Sequence[str],
) -> dict[str, int]:
    with crawl.session(config) as session:
        for part in parts:
            session.bind_part(segment, part, lists=[number])
        return {row["outcome"]: row["n"] for row in session.rows(query)}


def _rows(
    segment: Segment, part: str, number: int, columns: Sequence[str]
) -> Iterator[tuple[Any, ...]]:
    """Some columns of the rows of a list, a row group at a time."""
    for file in segment.part_files(part, [number]):
        for table in segment.batches(file, part, columns):
            yield from zip(*(table.column(name).to_pylist() for name in columns), strict=True)
