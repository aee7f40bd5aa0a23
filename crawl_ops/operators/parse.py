"""The operator of job parse: one fetched list of a segment."""

from datetime import datetime
from typing import TYPE_CHECKING

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.model import JobReport
from crawl_ops.operators.list_operator import ListOperator
from crawl_ops.operators.list_progress import list_progress

if TYPE_CHECKING:
    from crawl_ops.storage.crawl_dir import CrawlDir


class ParseOperator(ListOperator):
    """Parse what one fetch list brought; it can be repeated at any time."""

    ui_color = "#e3dcf3"

    def run_job(self, crawl: "CrawlDir", config: CrawlConfig, now: datetime) -> JobReport:
        from crawl_ops.jobs.parse import parse

        with list_progress(crawl, self.segment, self.partition) as progress:
            return parse(
                crawl,
                config,
                self.segment,
                now,
                partition=self.partition,
                stop=self.stop,
                progress=progress,
            )
