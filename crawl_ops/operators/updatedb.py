"""The operator of job updatedb."""

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.model import JobReport
from crawl_ops.operators.crawl_link import CrawlLink, SegmentLink
from crawl_ops.operators.crawl_operator import CrawlOperator

if TYPE_CHECKING:
    from airflow.sdk import XComArg

    from crawl_ops.storage.crawl_dir import CrawlDir


class UpdateDbOperator(CrawlOperator):
    """Fold one fetched and parsed segment into the crawldb; a second time changes nothing.

    :param segment: a parsed segment (templated)
    """

    template_fields: Sequence[str] = (*CrawlOperator.template_fields, "segment")
    ui_color = "#d0ece7"
    operator_extra_links = (CrawlLink(), SegmentLink())

    def __init__(self, *, segment: "str | XComArg", **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.segment = segment

    def run_job(self, crawl: "CrawlDir", config: CrawlConfig, now: datetime) -> JobReport:
        from crawl_ops.jobs.updatedb import updatedb

        return updatedb(crawl, config, [str(self.segment)], now)
