"""The operator of job reconcile."""

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.model import JobReport
from crawl_ops.operators.crawl_operator import CrawlOperator

if TYPE_CHECKING:
    from crawl_ops.storage.crawl_dir import CrawlDir


class ReconcileOperator(CrawlOperator):
    """Compare the index with the crawldb.

    :param delete: take out of the index what the crawldb does not know as a good page (templated)
    """

    template_fields: Sequence[str] = (*CrawlOperator.template_fields, "delete")
    ui_color = "#e5e8e8"

    def __init__(self, *, delete: bool | str = False, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.delete = delete

    def run_job(self, crawl: "CrawlDir", config: CrawlConfig, now: datetime) -> JobReport:
        from crawl_ops.jobs.reconcile import reconcile

        return reconcile(crawl, config, now, delete=self.delete in (True, "True"))
