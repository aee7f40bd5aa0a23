"""The operator of job invertlinks."""

from datetime import datetime
from typing import TYPE_CHECKING

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.model import JobReport
from crawl_ops.operators.crawl_operator import CrawlOperator

if TYPE_CHECKING:
    from crawl_ops.storage.crawl_dir import CrawlDir


class InvertLinksOperator(CrawlOperator):
    """Add the links of all segments that the linkdb does not have yet."""

    ui_color = "#fbe5d6"

    def run_job(self, crawl: "CrawlDir", config: CrawlConfig, now: datetime) -> JobReport:
        from crawl_ops.jobs.invertlinks import invertlinks

        return invertlinks(crawl, config, None, now)
