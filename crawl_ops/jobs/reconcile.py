"""reconcile: whether index and crawldb say the same."""

import itertools
import logging
import time
from collections.abc import Iterator
from datetime import datetime

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.index.search import indexed_ids
from crawl_ops.index.writers import IndexWriters
from crawl_ops.model import JobReport
from crawl_ops.storage.crawl_dir import CrawlDir
from crawl_ops.storage.session import Session

log = logging.getLogger(__name__)

LISTED = 10_000
BATCH = 50_000


def reconcile(
    crawl: CrawlDir,
    config: CrawlConfig,
    now: datetime,  # noqa: ARG001
    *,
    delete: bool = False,
) -> JobReport:
    """Compare the index with the crawldb.

    details: index_only, documents of pages that the crawldb does not know, or that it says are
    gone, redirected, duplicates, orphans or not parsable; crawldb_only, fetched pages that are
    not in the index (noindex pages are among them). At most 10,000 of each are listed, all are
    counted. delete: index_only leaves the index. Only the embedded index can be compared.
    """
    started = time.monotonic()
    counts: dict[str, int] = {}
    listed: dict[str, list[str]] = {}
    with crawl.session(config) as session:
        _bind(crawl, session)
        for side in ("crawldb_only", "index_only"):
            counts[side] = session.create("differing", f"reconcile_{side}")
            listed[side] = list(_urls(session, LISTED))
        if delete and counts["index_only"]:
            with IndexWriters(config, crawl.index_location) as writers:
                for url in _urls(session, counts["index_only"]):
                    writers.delete(url)
                writers.commit()
            counts["deleted"] = counts["index_only"]
    report = JobReport("reconcile", None, counts, time.monotonic() - started, dict(listed))
    log.info("reconcile: %s in %.1f s", report.counts, report.seconds)
    return report


def _bind(crawl: CrawlDir, session: Session) -> None:
    session.bind_table("crawldb", crawl.table("crawldb").current())
    session.create("indexed", "reconcile_none")
    ids = indexed_ids(crawl.index_location)
    while batch := list(itertools.islice(ids, BATCH)):
        session.bind_columns("some_ids", url=batch)
        session.append("indexed", "reconcile_indexed")


def _urls(session: Session, most: int) -> Iterator[str]:
    for batch in session.batches("reconcile_urls", most=most):
        for row in batch:
            yield row["url"]
