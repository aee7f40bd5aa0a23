"""Which URLs the crawldb knows and does not want yet, asked for host by host."""

from collections import OrderedDict
from collections.abc import Iterator
from datetime import datetime
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.storage.crawl_dir import CrawlDir
from crawl_ops.storage.host_rows import HostRows
from crawl_ops.storage.manifest import Bucket
from crawl_ops.storage.schema import schemas

if TYPE_CHECKING:
    from crawl_ops.storage.lookup import CrawlDbLookup

KEYS_OF_HOST = 100_000
KEYS_KEPT = 500_000
_COLUMNS = ("k", "fetch_time")


class NotDue:
    """The crawldb as it was when this was made. One question a host: redirects come in swarms.

    A host with more than KEYS_OF_HOST such URLs is looked up URL by URL.
    """

    def __init__(self, crawl: CrawlDir, config: CrawlConfig) -> None:
        self._crawl = crawl
        self._config = config
        self._manifest = crawl.table("crawldb").current()
        self._lookup: CrawlDbLookup | None = None
        self._hosts: OrderedDict[str, set[int] | None] = OrderedDict()
        self._count = 0

    def has(self, url: str, k: int, host: str, slot: int, now: datetime) -> bool:
        """Whether a normalized URL is known and its time has not come at `now`."""
        bucket = self._manifest.bucket(slot, slot)
        if not bucket.files:
            return False
        if host not in self._hosts:
            self._remember(host, self._keys(host, bucket, now))
        self._hosts.move_to_end(host)
        keys = self._hosts[host]
        if keys is not None:
            return k in keys
        row = self._of_url().row(url, host, slot)
        return row is not None and row["fetch_time"] > now

    def _keys(self, host: str, bucket: Bucket, now: datetime) -> set[int] | None:
        rows = HostRows(self._crawl.files, "crawldb", [host])
        changed: dict[int, bool] = {}
        for batch in rows.changed(bucket, _COLUMNS):
            changed.update(_not_due(batch, now))
            if len(changed) > KEYS_OF_HOST:
                return None
        keys: set[int] = set()
        for batch in rows.stored(bucket, _COLUMNS):
            keys.update(k for k, late in _not_due(batch, now) if changed.get(k, late))
            if len(keys) > KEYS_OF_HOST:
                return None
        return keys

    def _of_url(self) -> "CrawlDbLookup":
        if self._lookup is None:
            # Here: it loads the engine.
            from crawl_ops.storage.lookup import CrawlDbLookup
            from crawl_ops.storage.session import Session

            session = Session(self._crawl.files, self._config)
            self._lookup = CrawlDbLookup(self._crawl, session, self._manifest)
        return self._lookup

    def _remember(self, host: str, keys: set[int] | None) -> None:
        self._hosts[host] = keys
        self._count += len(keys or ())
        while self._count > KEYS_KEPT and len(self._hosts) > 1:
            _, dropped = self._hosts.popitem(last=False)
            self._count -= len(dropped or ())

    def close(self) -> None:
        if self._lookup is not None:
            self._lookup.close()


def _not_due(batch: pa.RecordBatch, now: datetime) -> Iterator[tuple[Any, Any]]:
    """Each key of a batch, and whether its time has not come."""
    import pyarrow.compute as pc

    moment = pa.scalar(now, schemas()["crawldb"].field("fetch_time").type)
    late = pc.greater(batch.column("fetch_time"), moment)
    return zip(batch.column("k").to_pylist(), late.to_pylist(), strict=True)
