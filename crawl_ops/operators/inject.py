"""The operator of job inject."""

import difflib
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from airflow.sdk.exceptions import DownstreamTasksSkipped

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.errors import ConfigError
from crawl_ops.model import JobReport
from crawl_ops.operators.crawl_operator import CrawlOperator
from crawl_ops.operators.walk import Walk, clears_of, hand_walk_on

if TYPE_CHECKING:
    from airflow.sdk import Context

    from crawl_ops.storage.crawl_dir import CrawlDir


class InjectOperator(CrawlOperator):
    """Put seed URLs into the crawldb; refuses a run whose conf has keys the form does not know.

    :param seeds: seed lines, or the path of a file or folder of them (templated)
    :param redo: what the depths of a run ask for again when all of the run is asked again:
        "failed", "all" or "none"; None: none (templated)
    :param depths: the task groups of the depths, in order; those past `max_depth` are skipped at
        once, so that a run that fails shows them as what they are: never asked for
    :param max_depth: the depth the run asked for; None: all (templated)
    """

    template_fields: Sequence[str] = (*CrawlOperator.template_fields, "seeds", "redo", "max_depth")
    ui_color = "#dff0d8"
    creates = True

    def __init__(
        self,
        *,
        seeds: Sequence[str] | str,
        redo: str | None = None,
        depths: Sequence[str] = (),
        max_depth: int | str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.seeds = seeds
        self.redo = redo
        self.depths = tuple(depths)
        self.max_depth = max_depth
        self.run_id: str | None = None

    def prepare(self, context: "Context") -> None:
        self.run_id = context["dag_run"].run_id
        # Not context["params"]: there Airflow has put everything that conf holds.
        refuse_unknown(context["dag_run"].conf or {}, list(context["dag"].params))
        hand_walk_on(context, Walk(clears_of(context), self.redo or "none"))

    def check(self, config: CrawlConfig) -> None:
        from crawl_ops.jobs.preflight import preflight

        preflight(config, _path_or_lines(self.seeds))

    def run_job(self, crawl: "CrawlDir", config: CrawlConfig, now: datetime) -> JobReport:
        from crawl_ops.jobs.inject import inject

        operation = f"inject:{self.run_id}" if self.run_id else None
        return inject(crawl, config, _path_or_lines(self.seeds), now, operation=operation)

    def hand_on(self, report: JobReport, context: "Context") -> Any:
        returned = super().hand_on(report, context)
        beyond = () if self.max_depth is None else self.depths[int(self.max_depth) :]
        if beyond:
            context["ti"].xcom_push("return_value", returned)  # what raises returns nothing
            inside = tuple(f"{group}." for group in beyond)
            skipped = sorted(name for name in self.dag.task_ids if name.startswith(inside))
            raise DownstreamTasksSkipped(tasks=skipped)  # type: ignore[no-untyped-call]
        return returned


def refuse_unknown(conf: dict[str, Any], known: Sequence[str]) -> None:
    """Raise ConfigError for the first key of a run's conf that is no param (the schema lets it)."""
    for key in conf:
        if key not in known:
            close = difflib.get_close_matches(key, known, n=1)
            hint = f"did you mean {close[0]!r}?" if close else f"there are {', '.join(known)}"
            raise ConfigError(f"conf: unknown parameter {key!r}; {hint}")


def _path_or_lines(seeds: Sequence[str] | str) -> Path | list[str]:
    if isinstance(seeds, str):
        return Path(seeds)
    lines = [line.strip() for line in seeds if line.strip()]
    # The form has lines only: one line without a scheme is the path of a seed file or folder.
    return Path(lines[0]) if len(lines) == 1 and "://" not in lines[0] else lines
