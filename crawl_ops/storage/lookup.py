"""Finding one URL's row in a versioned table: its bucket, then zone maps by host."""

from typing import Any

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.storage.crawl_dir import CrawlDir
from crawl_ops.storage.manifest import Manifest
from crawl_ops.storage.session import Session


class CrawlDbLookup:
    """Rows of the crawldb by URL, in one version: the current one when this was made, or `at`."""

    def __init__(self, crawl: CrawlDir, session: Session, at: Manifest | None = None) -> None:
        self._manifest = at or crawl.table("crawldb").current()
        self._session = session

    @classmethod
    def of(cls, crawl: CrawlDir, config: CrawlConfig) -> "CrawlDbLookup":
        """A lookup with a session of its own; to be closed."""
        return cls(crawl, Session(crawl.files, config))

    def row(self, url: str, host: str, slot: int) -> dict[str, Any] | None:
        """The row of a normalized URL, or None."""
        if not self._manifest.bucket(slot, slot).files:
            return None
        self._session.bind_table("crawldb", self._manifest, slot, slot)
        found = self._session.rows("lookup", host=host, url=url)
        return found[0] if found else None

    def close(self) -> None:
        self._session.close()
