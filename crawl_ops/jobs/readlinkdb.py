"""readlinkdb: the links to a URL."""

from collections.abc import Iterator
from typing import Any

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.storage.crawl_dir import CrawlDir
from crawl_ops.urls.chain import UrlChain
from crawl_ops.urls.identity import UrlIdentifier


def inlinks(crawl: CrawlDir, config: CrawlConfig, url: str) -> dict[str, Any]:
    """{"url", "inlinks": [{"url", "anchor"}]} of a URL, by source."""
    normalized = UrlChain(config, "default", filter=False).normalize(url) or url
    identity = UrlIdentifier(crawl.seed).identify(normalized)
    linkdb = crawl.table("linkdb").current()
    with crawl.session(config) as session:
        session.bind_table("linkdb", linkdb, identity.slot, identity.slot)
        found = session.rows("readlinkdb", k=identity.k)
    return {"url": normalized, "inlinks": found}


def dump(crawl: CrawlDir, config: CrawlConfig) -> Iterator[dict[str, Any]]:
    """Every link of the linkdb: {"url", "from_url", "anchor"}, by target."""
    with crawl.session(config) as session:
        for bucket in crawl.table("linkdb").current().buckets():
            session.bind_bucket("linkdb", "linkdb", bucket)
            for batch in session.batches("readlinkdb_dump"):
                yield from batch
