"""The operator of job check: whether what a run brought may go into the index."""

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from airflow.sdk.exceptions import AirflowFailException

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.errors import ConfigError, NotKeptError
from crawl_ops.model import JobReport
from crawl_ops.operators.crawl_operator import CrawlOperator, as_xcom

if TYPE_CHECKING:
    from airflow.sdk import Context

    from crawl_ops.storage.crawl_dir import CrawlDir

ON_FINDINGS = ("warn", "stop")


class CheckOperator(CrawlOperator):
    """Compare the crawl after this run with the crawl before it; warn, or stop the run.

    Marked as success by hand, it lets the run go on.

    :param on_findings: warn or stop (templated)
    """

    template_fields: Sequence[str] = (*CrawlOperator.template_fields, "on_findings")
    ui_color = "#fdebd0"

    def __init__(self, *, on_findings: str = "warn", **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.on_findings = on_findings
        self.run_id = ""

    def prepare(self, context: "Context") -> None:
        self.run_id = context["dag_run"].run_id
        if self.on_findings not in ON_FINDINGS:
            raise ConfigError(f"on_findings: {self.on_findings!r} is not warn or stop")

    def run_job(self, crawl: "CrawlDir", config: CrawlConfig, now: datetime) -> JobReport:
        from crawl_ops.jobs.check import check

        try:
            return check(crawl, config, self.run_id, now)
        except NotKeptError as error:  # a run of long ago that was cleared and had nothing to do
            self.log.warning("check: %s; there is nothing to compare", error)
            return JobReport("check", None, details={"findings": []})

    def hand_on(self, report: JobReport, context: "Context") -> Any:
        findings = [str(finding)[:500] for finding in report.details["findings"]]
        for finding in findings:
            self.log.warning("check: %s", finding)
        plain = {**as_xcom(report), "findings": findings}
        if findings and self.on_findings == "stop":
            context["ti"].xcom_push("report", plain)
            raise AirflowFailException(f"check: {'; '.join(findings)}")
        return plain
