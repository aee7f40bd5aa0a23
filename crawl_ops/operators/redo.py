"""The operator of job redo: what of an earlier run would be asked for again."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from airflow.sdk.exceptions import DownstreamTasksSkipped

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.errors import ConfigError
from crawl_ops.model import JobReport
from crawl_ops.operators.crawl_operator import CrawlOperator, as_xcom
from crawl_ops.operators.generate import again_from
from crawl_ops.operators.inject import refuse_unknown
from crawl_ops.operators.walk import Walk, clears_of, hand_walk_on

if TYPE_CHECKING:
    from airflow.sdk import Context

    from crawl_ops.storage.crawl_dir import CrawlDir


class RedoOperator(CrawlOperator):
    """Tell what of an earlier run would be asked for again; a dry run ends with that.

    :param again: fields of crawl_ops.jobs.generating.wish.Again (templated)
    :param only_tell: skip everything downstream (templated)
    """

    template_fields: Sequence[str] = (*CrawlOperator.template_fields, "again", "only_tell")
    ui_color = "#f5eaf5"

    def __init__(
        self, *, again: Mapping[str, Any] | str, only_tell: bool | str = True, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self.again = again
        self.only_tell = only_tell

    def prepare(self, context: "Context") -> None:
        refuse_unknown(context["dag_run"].conf or {}, list(context["dag"].params))
        hand_walk_on(context, Walk(clears_of(context), "none"))

    def run_job(self, crawl: "CrawlDir", config: CrawlConfig, now: datetime) -> JobReport:
        from crawl_ops.jobs.redo import redo

        again = again_from(self.again)
        if again is None:
            raise ConfigError("again: nothing is said of what is to be asked again")
        return redo(crawl, config, again, now)

    def hand_on(self, report: JobReport, context: "Context") -> Any:
        plain = as_xcom(report)
        if self.only_tell in (False, "False"):
            return plain
        context["ti"].xcom_push("report", plain)
        self.log.info("a dry run: nothing was changed; trigger again without it")
        raise DownstreamTasksSkipped(  # type: ignore[no-untyped-call]
            tasks=sorted(self.get_flat_relative_ids(upstream=False))
        )
