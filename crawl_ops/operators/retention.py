"""The operator of job retention."""

from datetime import datetime
from typing import TYPE_CHECKING

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.model import JobReport
from crawl_ops.operators.crawl_operator import CrawlOperator

if TYPE_CHECKING:
    from crawl_ops.storage.crawl_dir import CrawlDir


class RetentionOperator(CrawlOperator):
    """Remove old segments that are in the crawldb, the linkdb and the index."""

    ui_color = "#e5e8e8"

    def run_job(self, crawl: "CrawlDir", config: CrawlConfig, now: datetime) -> JobReport:
        from crawl_ops.jobs.retention import retention

        return retention(crawl, config, now)
