"""The crawl as a DAG: inject, rounds of generate, fetch, parse, updatedb, and the finish.

What all DAGs of a crawl share is here too: settings, the round, the finish.
"""

import logging
import os
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any

from airflow.sdk import DAG, Asset, Param, TaskGroup, TriggerRule, XComArg, chain, task_group
from airflow.sdk.definitions.callback import SyncCallback
from airflow.sdk.definitions.deadline import DeadlineAlert, DeadlineReference
from airflow.sdk.exceptions import AirflowFailException

from crawl_ops.config.load import load
from crawl_ops.config.places import config_file, crawl_dir
from crawl_ops.errors import CrawlError
from crawl_ops.operators.check import CheckOperator
from crawl_ops.operators.crawl_operator import CrawlOperator
from crawl_ops.operators.dedup import DedupOperator
from crawl_ops.operators.fetch import FetchOperator
from crawl_ops.operators.form import params, properties_of
from crawl_ops.operators.generate import GenerateOperator
from crawl_ops.operators.index import IndexOperator
from crawl_ops.operators.inject import InjectOperator
from crawl_ops.operators.invertlinks import InvertLinksOperator
from crawl_ops.operators.parse import ParseOperator
from crawl_ops.operators.updatedb import UpdateDbOperator

FETCH_POOL = "fetch_pool"
"""Bounds the fetch tasks of all crawls; made by the launcher, the runner and docker-compose.yml."""

log = logging.getLogger(__name__)

USUAL_MAX_DEPTH = 10
FINISH = "invertlinks"
"""The task that follows the rounds."""

DOC = """\
One crawl in the manner of Apache Nutch: **inject** seeds, then for each depth **generate** a
segment of due URLs, **fetch** and **parse** its lists side by side and **updatedb**; at the end
**invertlinks**, **check**, **index** and **dedup**. With nothing due a run leaves the loop and
finishes.

Clear a depth's group to ask again for what failed in it; finished pages are not asked a second
time. More in docs/recovery.md.
"""


def max_depth() -> int:
    """Depths the DAG is built with: $CRAWL_MAX_DEPTH, else crawl.max.depth of crawl.toml."""
    if given := os.environ.get("CRAWL_MAX_DEPTH"):
        return int(given)
    try:
        return load(config_file()).crawl.max_depth
    except CrawlError:
        # A broken crawl.toml is told by the first task of a run; it must not hide the DAG.
        return USUAL_MAX_DEPTH


def crawl_dag(
    dag_id: str,
    *,
    schedule: Any = None,
    start_date: datetime | None = None,
    crawl_id: str | None = None,
    depths: int | None = None,
    late_after: timedelta | None = None,
    paused: bool | None = None,
) -> DAG:
    """The DAG `dag_id`; `crawl_id` (else the DAG's id) names its crawl folder in the store.

    late_after: a run that is not over so long after its logical date is told of
    (crawl_ops.operators.alerts); one without a logical date never is late. paused: whether
    the DAG waits for somebody to switch it on; None: as Airflow is set up.
    """
    depths = depths or max_depth()
    with DAG(
        dag_id,
        schedule=schedule,
        start_date=start_date,
        is_paused_upon_creation=paused,
        deadline=_deadline(late_after) if late_after else None,
        description="Crawl, parse and index web sites",
        doc_md=DOC,
        **settings_of(crawl_id or dag_id, params(depths)),
    ) as dag:
        inject = InjectOperator(
            task_id="inject",
            seeds="{{ params.seeds }}",
            redo="{{ params.redo }}",
            depths=[name_of(depth) for depth in range(1, depths + 1)],
            max_depth="{{ params.depth }}",
        )
        rounds = []
        after = "inject"
        for depth in range(1, depths + 1):
            rounds.append(
                round_of(
                    depth,
                    after=after,
                    max_depth="{{ params.depth }}",
                    topn="{{ params.topn }}",
                    redo="{{ params.redo }}",
                )
            )
            after = f"{name_of(depth)}.generate"
        finish = finish_of(dag_id)
        chain(inject, *rounds, *finish)
        # The last depth may be skipped from the start: the finish is for all depths to be done.
        for round_ in rounds[:-1]:
            round_ >> finish[0]
    return dag


def settings_of(usual_id: str, form: Mapping[str, Param]) -> dict[str, Any]:
    """What all DAGs of a crawl are built with; `usual_id`: the crawl, where a run names none."""
    return {
        "catchup": False,
        "max_active_runs": 1,  # runs of a DAG share a crawldb
        "params": dict(form),
        "render_template_as_native_obj": True,
        "user_defined_macros": {
            "properties_of": at_once(properties_of),
            "crawl_dir_of": at_once(lambda given: crawl_dir(given.get("crawl_id") or usual_id)),
            "config_of": at_once(_config_of),
        },
        "default_args": {
            "crawl_dir": "{{ crawl_dir_of(params) }}",
            "config_file": "{{ config_of(params) }}",
            "properties": "{{ properties_of(params) }}",
        },
        "tags": ["crawl"],
    }


def at_once(macro: Callable[[Mapping[str, Any]], Any]) -> Callable[[Mapping[str, Any]], Any]:
    """The macro of a template: params that are wrong fail the task without a retry."""

    def answer(given: Mapping[str, Any]) -> Any:
        try:
            return macro(given)
        except CrawlError as error:
            log.error("%s", error)
            raise AirflowFailException(str(error)) from None

    return answer


def name_of(depth: int) -> str:
    """The task group of a depth."""
    return f"depth_{depth:02d}"


def round_of(depth: int, **of_generate: Any) -> TaskGroup:
    """One round. A partition's parse starts when its own fetch has ended."""
    with TaskGroup(name_of(depth), tooltip=f"round {depth}") as round_:
        generate = GenerateOperator(
            task_id="generate",
            depth=depth,
            num_fetchers="{{ params.fetch_lists }}",
            exit_to=FINISH,
            **of_generate,
        )
        segment = XComArg(generate, key="segment")

        @task_group(group_id="partition")
        def partition(segment: str, manifest: Mapping[str, int]) -> None:
            fetch = FetchOperator(
                task_id="fetch", segment=segment, manifest=manifest, pool=FETCH_POOL
            )
            parse = ParseOperator(task_id="parse", segment=segment, manifest=manifest)
            fetch >> parse

        partitions = partition.partial(segment=segment).expand(manifest=generate.output)
        updatedb = UpdateDbOperator(task_id="updatedb", segment=segment)
        partitions >> updatedb
    return round_


def finish_of(dag_id: str) -> tuple[CrawlOperator, ...]:
    """What follows the rounds, in order; the last one tells the asset of the index."""
    return (
        InvertLinksOperator(task_id=FINISH, trigger_rule=TriggerRule.NONE_FAILED),
        CheckOperator(task_id="check", on_findings="{{ params.on_findings }}"),
        IndexOperator(task_id="index"),
        DedupOperator(task_id="dedup", outlets=[index_asset(dag_id)]),
    )


def index_asset(dag_id: str) -> Asset:
    """The search index that a DAG keeps up to date: what other DAGs may be scheduled on.

    The extra of its events holds crawl_dir, run_id and the counts of the last step.
    """
    return Asset(name=f"{dag_id}_index", uri=f"x-crawl://{dag_id}/index", group="crawl")


def _deadline(late_after: timedelta) -> DeadlineAlert:
    return DeadlineAlert(
        # Not DAGRUN_QUEUED_AT: with that no task of a run can be cleared (apache/airflow#70368).
        reference=DeadlineReference.DAGRUN_LOGICAL_DATE,
        interval=late_after,
        callback=SyncCallback("crawl_ops.operators.alerts.late"),
        name="late",
    )


def _config_of(given: Mapping[str, Any]) -> str | None:
    file = config_file(given.get("config"))
    return str(file) if file else None
