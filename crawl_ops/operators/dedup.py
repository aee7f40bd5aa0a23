"""The operator of job dedup."""

from datetime import datetime
from typing import TYPE_CHECKING

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.model import JobReport
from crawl_ops.operators.crawl_operator import CrawlOperator

if TYPE_CHECKING:
    from crawl_ops.storage.crawl_dir import CrawlDir


class DedupOperator(CrawlOperator):
    """Mark duplicates in the crawldb and take them out of the index."""

    ui_color = "#ece3d4"

    def run_job(self, crawl: "CrawlDir", config: CrawlConfig, now: datetime) -> JobReport:
        from crawl_ops.jobs.dedup import dedup

        return dedup(crawl, config, now)
