"""clean: what the crawldb says is gone leaves the index."""

import logging
import time
from datetime import datetime

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.index.writers import IndexWriters
from crawl_ops.model import JobReport
from crawl_ops.storage.crawl_dir import CrawlDir

log = logging.getLogger(__name__)


def clean(crawl: CrawlDir, config: CrawlConfig, now: datetime) -> JobReport:  # noqa: ARG001
    """Delete gone, duplicate and redirected pages from the index (Nutch rules 16)."""
    started = time.monotonic()
    deleted = 0
    with (
        crawl.session(config) as session,
        IndexWriters(config, crawl.index_location) as writers,
    ):
        for entry in crawl.table("crawldb").current().files:
            session.bind("crawldb", "crawldb", [entry.path])
            for batch in session.batches("clean"):
                for row in batch:
                    writers.delete(row["url"])
                    deleted += 1
        writers.commit()
    report = JobReport("clean", None, {"deleted": deleted}, time.monotonic() - started)
    log.info("clean: %s in %.1f s", report.counts, report.seconds)
    return report
