"""The operator of job fetch: one fetch list of a segment."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.model import JobReport
from crawl_ops.operators.list_operator import ListOperator
from crawl_ops.operators.list_progress import list_progress

if TYPE_CHECKING:
    from crawl_ops.storage.crawl_dir import CrawlDir


class FetchOperator(ListOperator):
    """Fetch one list of a segment, politely; a retry asks no finished page again."""

    ui_color = "#d3e8f8"

    def run_job(self, crawl: "CrawlDir", config: CrawlConfig, now: datetime) -> JobReport:  # noqa: ARG002
        from crawl_ops.jobs.fetch import fetch

        with list_progress(crawl, self.segment, self.partition) as progress:
            return fetch(
                crawl,
                config,
                self.segment,
                lambda: datetime.now(UTC),
                partition=self.partition,
                stop=self.stop,
                progress=progress,
            )
