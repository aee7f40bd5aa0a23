"""The good copies of robots.txt that the hostdb keeps."""

from collections.abc import Collection, Iterator
from datetime import datetime
from typing import Any, NamedTuple

import pyarrow as pa

from crawl_ops.storage.crawl_dir import CrawlDir
from crawl_ops.storage.host_rows import HostRows

_COLUMNS = ("robots_origin", "robots_content", "robots_time")


class SavedRobots(NamedTuple):
    """The last good robots.txt of an origin, and when it was read."""

    origin: str
    content: bytes
    time: datetime


def saved_robots(crawl: CrawlDir, hosts: Collection[str]) -> Iterator[SavedRobots]:
    """What the hostdb has of some hosts. Raises StoreError naming a file that cannot be read."""
    bucket = crawl.table("hostdb").current().bucket()
    if not bucket.files:
        return
    rows = HostRows(crawl.files, "hostdb", hosts)
    changed = {
        host: values
        for batch in rows.changed(bucket, _COLUMNS)
        for host, *values in _tuples(batch, ("host", *_COLUMNS))
    }
    for batch in rows.stored(bucket, _COLUMNS):
        for host, *values in _tuples(batch, ("host", *_COLUMNS)):
            origin, content, time = changed.get(host, values)
            if content is not None:
                yield SavedRobots(origin, content, time)


def _tuples(batch: pa.RecordBatch, columns: Collection[str]) -> Iterator[tuple[Any, ...]]:
    return zip(*(batch.column(name).to_pylist() for name in columns), strict=True)
