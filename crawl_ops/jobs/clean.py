"""clean: what the crawldb says is gone leaves the index."""

import logging
import time
from datetime import datetime

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.index.writers import IndexWriters
from crawl_ops.model import JobReport
from crawl_ops.storage.crawl_dir import CrawlDir

log = logging.getLogger(__name__)

BATCH_ROWS = 10_000
BATCHES_A_COMMIT = 10  # deletes not committed are held in memory


def clean(crawl: CrawlDir, config: CrawlConfig, now: datetime) -> JobReport:  # noqa: ARG001
    """Delete gone, duplicate, redirected and orphan pages from the index.

    Nutch rules 16 leave redirects and orphans: that they go too is ours, as in the index job.
    counts.deleted: documents that were in the index; delete_requests, where no writer can tell.
    """
    started = time.monotonic()
    asked = number = 0
    with (
        crawl.session(config) as session,
        IndexWriters(config, crawl.index_location) as writers,
    ):
        before = writers.documents()
        for bucket in crawl.table("crawldb").current().buckets():
            session.bind_bucket("crawldb", "crawldb", bucket)
            for batch in session.batches("clean", BATCH_ROWS):
                for row in batch:
                    writers.delete(row["url"])
                asked += len(batch)
                number += 1
                if number % BATCHES_A_COMMIT == 0:
                    writers.commit()
        writers.commit()
        counts = writers.deleted_since(before, asked)
    report = JobReport("clean", None, counts, time.monotonic() - started)
    log.info("clean: %s in %.1f s", report.counts, report.seconds)
    return report
