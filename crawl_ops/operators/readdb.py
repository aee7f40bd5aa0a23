"""The operator of job readdb: statistics of the crawldb."""

from datetime import datetime
from typing import TYPE_CHECKING

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.model import DbStatus, JobReport
from crawl_ops.operators.crawl_operator import CrawlOperator

if TYPE_CHECKING:
    from crawl_ops.storage.crawl_dir import CrawlDir


class ReadDbOperator(CrawlOperator):
    """Count the URLs of the crawldb by status, retries and score, under Nutch's names."""

    ui_color = "#e5e8e8"

    def run_job(self, crawl: "CrawlDir", config: CrawlConfig, now: datetime) -> JobReport:  # noqa: ARG002
        from crawl_ops.jobs.readdb import stats

        found = stats(crawl, config)
        counts = {str(name): found.pop(name) for name in ("total", *DbStatus) if name in found}
        for name, number in counts.items():
            self.log.info("%s: %d", name, number)
        return JobReport("readdb", None, counts, 0.0, {"stats": found})
