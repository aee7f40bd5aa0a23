"""The operator of job vacuum."""

from datetime import datetime
from typing import TYPE_CHECKING

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.model import JobReport
from crawl_ops.operators.crawl_operator import CrawlOperator

if TYPE_CHECKING:
    from crawl_ops.storage.crawl_dir import CrawlDir


class VacuumOperator(CrawlOperator):
    """Remove old versions, the data only they name, and what killed jobs left behind."""

    ui_color = "#e5e8e8"

    def run_job(self, crawl: "CrawlDir", config: CrawlConfig, now: datetime) -> JobReport:
        from crawl_ops.jobs.vacuum import vacuum

        return vacuum(crawl, config, now)
