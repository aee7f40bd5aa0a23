"""The operator of job generate: it opens a depth, or leaves the loop."""

import json
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, NoReturn

from airflow.sdk.exceptions import AirflowSkipException, DownstreamTasksSkipped

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.errors import ConfigError
from crawl_ops.model import JobReport
from crawl_ops.operators.crawl_operator import XCOM_BYTES, CrawlOperator, as_xcom

if TYPE_CHECKING:
    from airflow.sdk import Context

    from crawl_ops.storage.crawl_dir import CrawlDir

MAX_LISTS = 256
"""Fetch lists of a depth at most: well under Airflow's map limit, and an XCom of under 4 KB."""


class GenerateOperator(CrawlOperator):
    """Select due URLs into a segment; returns one manifest a fetch list, `segment` as XCom beside.

    Past `max_depth`, or with nothing due, everything up to `exit_to` is skipped in one call.

    :param depth: the depth this task opens, from 1
    :param max_depth: the depth the run asked for (templated)
    :param topn: URLs at most; None: generate.topN (templated)
    :param num_fetchers: fetch lists at most; None: generate.num.fetchers (templated)
    :param exit_to: the task that follows the loop; None: plain skip
    """

    template_fields: Sequence[str] = (
        *CrawlOperator.template_fields,
        "max_depth",
        "topn",
        "num_fetchers",
    )
    ui_color = "#fcf3d0"

    def __init__(
        self,
        *,
        depth: int = 1,
        max_depth: int | str | None = None,
        topn: int | str | None = None,
        num_fetchers: int | str | None = None,
        exit_to: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.depth = depth
        self.max_depth = max_depth
        self.topn = topn
        self.num_fetchers = num_fetchers
        self.exit_to = exit_to
        self.run_id: str | None = None

    def prepare(self, context: "Context") -> None:
        # The run, never the logical date: that may be None, or the same for two runs.
        self.run_id = context["dag_run"].run_id
        if self.max_depth is not None and self.depth > int(self.max_depth):
            self._leave(f"past the requested depth {self.max_depth}")

    def run_job(self, crawl: "CrawlDir", config: CrawlConfig, now: datetime) -> JobReport:
        from crawl_ops.jobs.generate import generate

        lists = _number(self.num_fetchers)
        if (lists or config.generate.num_fetchers) > MAX_LISTS:
            raise ConfigError(f"generate.num.fetchers: at most {MAX_LISTS} in a DAG")
        return generate(
            crawl,
            config,
            now,
            run_id=self.run_id,
            depth=self.depth,
            topn=_number(self.topn),
            num_fetchers=lists,
        )

    def hand_on(self, report: JobReport, context: "Context") -> list[dict[str, int]]:
        context["ti"].xcom_push("report", as_xcom(report))
        if report.segment is None:
            self._leave("nothing is due")
        context["ti"].xcom_push("segment", report.segment)
        return manifests(report)

    def _leave(self, why: str) -> NoReturn:
        if self.exit_to is None:
            raise AirflowSkipException(why)
        exit_to = self.dag.get_task(self.exit_to)
        keep = exit_to.get_flat_relative_ids(upstream=False) | {self.exit_to}
        self.log.info("%s: leaving the loop for %s", why, self.exit_to)
        skipped = sorted(self.get_flat_relative_ids(upstream=False) - keep)
        raise DownstreamTasksSkipped(tasks=skipped)  # type: ignore[no-untyped-call]


def manifests(report: JobReport) -> list[dict[str, int]]:
    """One small dict a fetch list: its number, and its counts while all of them are small."""
    lists = report.details["lists"]
    full = [{key: int(one[key]) for key in ("list", "urls", "hosts")} for one in lists]
    if len(json.dumps(full)) <= XCOM_BYTES:
        return full
    return [{"list": one["list"]} for one in full]


def _number(value: int | str | None) -> int | None:
    return None if value is None or value == "" else int(value)
