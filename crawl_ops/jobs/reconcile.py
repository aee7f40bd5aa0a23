"""reconcile: whether index and crawldb say the same."""

import time
from datetime import datetime

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.index.search import indexed_ids
from crawl_ops.index.writers import IndexWriters
from crawl_ops.model import JobReport
from crawl_ops.storage.crawl_dir import CrawlDir

LISTED = 10_000


def reconcile(
    crawl: CrawlDir,
    config: CrawlConfig,
    now: datetime,  # noqa: ARG001
    *,
    delete: bool = False,
) -> JobReport:
    """Compare the index with the crawldb.

    details: index_only, documents whose page is not db_fetched or db_notmodified; crawldb_only,
    fetched pages that are not in the index (noindex pages are among them). At most 10,000 of each
    are listed, all are counted. delete: index_only leaves the index.
    """
    started = time.monotonic()
    with crawl.session(config) as session:
        files = [entry.path for entry in crawl.table("crawldb").current().files]
        session.bind("crawldb", "crawldb", files)
        session.bind_columns("indexed", url=list(indexed_ids(crawl.index_location)) or [""])
        index_only = [row["url"] for row in session.rows("reconcile_index_only")]
        crawldb_only = [row["url"] for row in session.rows("reconcile_crawldb_only")]
    if delete and index_only:
        with IndexWriters(config, crawl.index_location) as writers:
            for url in index_only:
                writers.delete(url)
            writers.commit()
    return JobReport(
        "reconcile",
        None,
        {"index_only": len(index_only), "crawldb_only": len(crawldb_only)},
        time.monotonic() - started,
        {"index_only": index_only[:LISTED], "crawldb_only": crawldb_only[:LISTED]},
    )
