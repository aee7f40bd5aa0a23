"""The crawl as a DAG: inject, rounds of generate, fetch, parse, updatedb, and the finish."""

import os
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from airflow.sdk import DAG, TaskGroup, TriggerRule, XComArg, chain, task_group

from crawl_ops.config.load import load
from crawl_ops.errors import CrawlError
from crawl_ops.operators.dedup import DedupOperator
from crawl_ops.operators.fetch import FetchOperator
from crawl_ops.operators.form import params, properties_of
from crawl_ops.operators.generate import GenerateOperator
from crawl_ops.operators.index import IndexOperator
from crawl_ops.operators.inject import InjectOperator
from crawl_ops.operators.invertlinks import InvertLinksOperator
from crawl_ops.operators.parse import ParseOperator
from crawl_ops.operators.places import config_file, crawl_dir
from crawl_ops.operators.updatedb import UpdateDbOperator

FETCH_POOL = "fetch_pool"
"""Bounds the fetch tasks of all crawls; made by the launcher, the runner and docker-compose.yml."""

USUAL_MAX_DEPTH = 10

DOC = """\
One crawl in the manner of Apache Nutch: **inject** seeds, then for each depth **generate** a
segment of due URLs, **fetch** and **parse** its lists side by side and **updatedb**; at the end
**invertlinks**, **index** and **dedup**. With nothing due a run leaves the loop and finishes.

Clear a depth's group to do it again: finished pages are not asked a second time.
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
    schedule: str | None = None,
    start_date: datetime | None = None,
    crawl_id: str | None = None,
    depths: int | None = None,
) -> DAG:
    """The DAG `dag_id`; `crawl_id` (else the DAG's id) names its crawl folder in the store."""
    depths = depths or max_depth()
    usual_id = crawl_id or dag_id
    with DAG(
        dag_id,
        schedule=schedule,
        start_date=start_date,
        catchup=False,
        max_active_runs=1,  # runs of a DAG share a crawldb
        params=params(depths),
        render_template_as_native_obj=True,
        user_defined_macros={
            "properties_of": properties_of,
            "crawl_dir_of": lambda given: crawl_dir(given["crawl_id"] or usual_id),
            "config_of": _config_of,
        },
        default_args={
            "crawl_dir": "{{ crawl_dir_of(params) }}",
            "config_file": "{{ config_of(params) }}",
            "properties": "{{ properties_of(params) }}",
        },
        tags=["crawl"],
        description="Crawl, parse and index web sites",
        doc_md=DOC,
    ) as dag:
        inject = InjectOperator(task_id="inject", seeds="{{ params.seeds }}")
        rounds = [_round(depth) for depth in range(1, depths + 1)]
        invertlinks = InvertLinksOperator(
            task_id="invertlinks", trigger_rule=TriggerRule.NONE_FAILED
        )
        index = IndexOperator(task_id="index")
        dedup = DedupOperator(task_id="dedup")
        chain(inject, *rounds, invertlinks, index, dedup)
    return dag


def _round(depth: int) -> TaskGroup:
    """One round. A partition's parse starts when its own fetch has ended."""
    with TaskGroup(f"depth_{depth:02d}", tooltip=f"round {depth}") as round_:
        generate = GenerateOperator(
            task_id="generate",
            depth=depth,
            max_depth="{{ params.depth }}",
            topn="{{ params.topn }}",
            num_fetchers="{{ params.fetch_lists }}",
            exit_to="invertlinks",
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


def _config_of(given: Mapping[str, Any]) -> str | None:
    file = config_file(given["config"])
    return str(file) if file else None
