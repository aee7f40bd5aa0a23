"""Which URLs the crawldb knows and does not want yet, asked for host by host."""

from collections import OrderedDict
from datetime import datetime

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.storage.crawl_dir import CrawlDir
from crawl_ops.storage.lookup import CrawlDbLookup
from crawl_ops.storage.session import Session

KEYS_OF_HOST = 100_000
KEYS_KEPT = 500_000


class NotDue:
    """The crawldb as it was when this was made. One question a host: redirects come in swarms.

    A host with more than KEYS_OF_HOST such URLs is looked up URL by URL.
    """

    def __init__(self, crawl: CrawlDir, config: CrawlConfig) -> None:
        self._session = Session(crawl.files, config)
        self._manifest = crawl.table("crawldb").current()
        self._lookup = CrawlDbLookup(crawl, self._session, self._manifest)
        self._hosts: OrderedDict[str, set[int] | None] = OrderedDict()
        self._count = 0

    def has(self, url: str, k: int, host: str, slot: int, now: datetime) -> bool:
        """Whether a normalized URL is known and its time has not come at `now`."""
        if not self._manifest.bucket(slot, slot).files:
            return False
        if host not in self._hosts:
            self._remember(host, self._keys(host, slot, now))
        self._hosts.move_to_end(host)
        keys = self._hosts[host]
        if keys is not None:
            return k in keys
        row = self._lookup.row(url, host, slot)
        return row is not None and row["fetch_time"] > now

    def _keys(self, host: str, slot: int, now: datetime) -> set[int] | None:
        self._session.bind_table("crawldb", self._manifest, slot, slot)
        keys: set[int] = set()
        for batch in self._session.arrow(
            "fetch_not_due", host=host, now=now, most=KEYS_OF_HOST + 1
        ):
            keys.update(k for k in batch.column("k").to_pylist() if k is not None)
        return keys if len(keys) <= KEYS_OF_HOST else None

    def _remember(self, host: str, keys: set[int] | None) -> None:
        self._hosts[host] = keys
        self._count += len(keys or ())
        while self._count > KEYS_KEPT and len(self._hosts) > 1:
            _, dropped = self._hosts.popitem(last=False)
            self._count -= len(dropped or ())

    def close(self) -> None:
        self._session.close()
