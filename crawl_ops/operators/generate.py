"""The operator of job generate: it opens a depth, or leaves the loop."""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, NoReturn

from airflow.sdk.exceptions import AirflowSkipException, DownstreamTasksSkipped

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.errors import ConfigError
from crawl_ops.model import JobReport
from crawl_ops.operators.crawl_link import CrawlLink, SegmentLink
from crawl_ops.operators.crawl_operator import XCOM_BYTES, CrawlOperator, as_xcom
from crawl_ops.operators.walk import Walk, hand_walk_on, redo_wanted, walk_of

if TYPE_CHECKING:
    from airflow.sdk import Context

    from crawl_ops.jobs.generating.wish import Again, RedoWhat
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
    :param after: the task of the step before, which says whether the run is walked through from
        its start (crawl_ops.operators.walk); None: asked again for a folded depth is a redo
    :param redo: what a depth that is cleared by itself asks for again, "failed" or "all";
        None: failed (templated)
    :param again: fields of crawl_ops.jobs.generating.wish.Again: not what is due, but what failed
        in an earlier run (templated)
    """

    template_fields: Sequence[str] = (
        *CrawlOperator.template_fields,
        "max_depth",
        "topn",
        "num_fetchers",
        "redo",
        "again",
    )
    ui_color = "#fcf3d0"
    operator_extra_links = (CrawlLink(), SegmentLink())

    def __init__(
        self,
        *,
        depth: int = 1,
        max_depth: int | str | None = None,
        topn: int | str | None = None,
        num_fetchers: int | str | None = None,
        exit_to: str | None = None,
        after: str | None = None,
        redo: str | None = None,
        again: Mapping[str, Any] | str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.depth = depth
        self.max_depth = max_depth
        self.topn = topn
        self.num_fetchers = num_fetchers
        self.exit_to = exit_to
        self.after = after
        self.redo = redo
        self.again = again
        self.run_id: str | None = None
        self.segment: str | None = None  # what is made, for the link
        self._walk: tuple[Walk, Walk | None] | None = None

    def prepare(self, context: "Context") -> None:
        # The run, never the logical date: that may be None, or the same for two runs.
        self.run_id = context["dag_run"].run_id
        if self.max_depth is not None and self.depth > int(self.max_depth):
            self._leave(f"past the requested depth {self.max_depth}")
        if self.after is not None:
            self._walk = walk_of(context, self.after, self.redo)

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
            redo=self._redo(crawl),
            again=again_from(self.again),
        )

    def _redo(self, crawl: "CrawlDir") -> "RedoWhat":
        if self._walk is None or self.run_id is None:
            return redo_what(self.redo)
        mine, before = self._walk
        self._walk = redo_wanted(crawl.files, self.run_id, self.depth, mine, before), before
        return redo_what(self._walk[0].redo)

    def hand_on(self, report: JobReport, context: "Context") -> list[dict[str, int]]:
        if self._walk is not None:
            hand_walk_on(context, self._walk[0])
        context["ti"].xcom_push("report", as_xcom(report))
        if report.segment is None:
            self._leave(report.details.get("note") or "nothing is due")
        self.segment = report.segment
        context["ti"].xcom_push("segment", report.segment)
        return manifests(report)

    def _leave(self, why: str) -> NoReturn:
        if self.exit_to is None:
            raise AirflowSkipException(why)
        exit_to = self.dag.get_task(self.exit_to)
        keep = exit_to.get_flat_relative_ids(upstream=False) | {self.exit_to}
        self.log.info("%s: leaving the loop for %s", why, self.exit_to)
        skipped = sorted(self.get_flat_relative_ids(upstream=False) - keep)
        tasks = [*skipped, *self._instances(skipped)]
        raise DownstreamTasksSkipped(tasks=tasks)  # type: ignore[no-untyped-call]

    def _instances(self, task_ids: Sequence[str]) -> list[tuple[str, int]]:
        """Instances that an earlier try of this task may have made of the tasks that map over it.

        In a depth that is cleared they are there, and would run without a segment. What follows
        them is skipped with them.
        """
        mapped = [
            task_id
            for task_id in task_ids
            if task_id in self.downstream_task_ids
            and self.dag.get_task(task_id).get_closest_mapped_task_group() is not None
        ]
        return [(task_id, number) for task_id in mapped for number in range(MAX_LISTS)]


def manifests(report: JobReport) -> list[dict[str, int]]:
    """One small dict a fetch list: its number, and its counts while all of them are small."""
    lists = report.details["lists"]
    full = [{key: int(one[key]) for key in ("list", "urls", "hosts")} for one in lists]
    if len(json.dumps(full)) <= XCOM_BYTES:
        return full
    return [{"list": one["list"]} for one in full]


def redo_what(given: str | None) -> "RedoWhat":
    """What is redone: failed by default. Raises ConfigError for an unknown word."""
    if not given or given == "failed":
        return "failed"
    if given == "all":
        return "all"
    if given == "none":
        return "none"
    raise ConfigError(f"redo: {given!r} is not failed, all or none")


def again_from(given: Mapping[str, Any] | str | None) -> "Again | None":
    """What is to be asked for again, as params have it. Raises ConfigError for what is no such."""
    from crawl_ops.jobs.generating.wish import Again

    if not given:
        return None
    if isinstance(given, str):
        raise ConfigError("again: not text, but run_id, depth, lists, hosts, everything")
    try:
        lists, hosts = given.get("lists") or (), given.get("hosts") or ()
        again = Again(**{**given, "lists": tuple(lists), "hosts": tuple(hosts)})
    except TypeError as error:
        raise ConfigError(f"again: {error}") from None
    if not again.run_id:
        raise ConfigError("run_id: say which run is to be asked again, as the page shows its id")
    return again


def _number(value: int | str | None) -> int | None:
    return None if value is None or value == "" else int(value)
