"""The operator of job mergesegs."""

from datetime import datetime
from typing import TYPE_CHECKING

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.model import JobReport
from crawl_ops.operators.crawl_operator import CrawlOperator

if TYPE_CHECKING:
    from crawl_ops.storage.crawl_dir import CrawlDir


class MergeSegsOperator(CrawlOperator):
    """Merge old segments into one, where crawl.segments.merge.days says so."""

    ui_color = "#e5e8e8"

    def run_job(self, crawl: "CrawlDir", config: CrawlConfig, now: datetime) -> JobReport:
        from crawl_ops.jobs.mergesegs import mergesegs

        return mergesegs(crawl, config, None, now)
