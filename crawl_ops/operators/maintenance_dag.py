"""The DAG that keeps crawl folders small and tells whether they are sound."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from airflow.sdk import DAG, Param, chain, task, task_group

from crawl_ops.config.places import crawl_dir
from crawl_ops.operators.crawl_dag import settings_of
from crawl_ops.operators.form import place_params
from crawl_ops.operators.mergesegs import MergeSegsOperator
from crawl_ops.operators.readdb import ReadDbOperator
from crawl_ops.operators.reconcile import ReconcileOperator
from crawl_ops.operators.retention import RetentionOperator
from crawl_ops.operators.vacuum import VacuumOperator

CRAWLS_MOST = 256
DOC = """\
For each crawl of the store: **retention** removes old segments that are in the crawldb, the linkdb
and the index (`crawl.segments.kept`, `crawl.segments.kept.days`), **mergesegs**
makes one of those that stay and are old enough (`crawl.segments.merge.days`; off by default),
**vacuum** removes old versions of tables (`db.versions.kept`, `db.versions.kept.hours`) and what
killed jobs left behind, **readdb** counts URLs by status, **reconcile** compares the index with the
crawldb.
"""


def maintenance_dag(
    dag_id: str, *, schedule: Any, start_date: datetime | None, paused: bool | None = None
) -> DAG:
    """The DAG `dag_id`, for all crawls or those that a run names."""
    with DAG(
        dag_id,
        schedule=schedule,
        start_date=start_date,
        is_paused_upon_creation=paused,
        description="Remove what is old, count, compare",
        doc_md=DOC,
        **settings_of(dag_id, maintenance_params()),
    ) as dag:

        @task(retries=0)
        def crawls(params: Mapping[str, Any] | None = None) -> list[str]:
            """Folders of the crawls."""
            from crawl_ops.storage.crawls import crawl_ids

            given = (params or {}).get("crawl_ids") or crawl_ids()
            return [crawl_dir(name) for name in given[:CRAWLS_MOST]]

        @task_group(group_id="crawl")
        def of_crawl(folder: str) -> None:
            names = {"crawl_dir": folder, "map_index_template": "{{ task.crawl_dir }}"}
            chain(
                RetentionOperator(task_id="retention", **names),
                MergeSegsOperator(task_id="mergesegs", **names),
                VacuumOperator(task_id="vacuum", **names),
                ReadDbOperator(task_id="readdb", **names),
                ReconcileOperator(task_id="reconcile", delete="{{ params.delete }}", **names),
            )

        of_crawl.expand(folder=crawls())
    return dag


def maintenance_params() -> dict[str, Param]:
    """The form: which crawls, and whether the index is mended."""
    return {
        "crawl_ids": Param(
            None,
            type=["null", "array"],
            items={"type": "string", "minLength": 1},
            title="Crawl ids",
            description="Only these crawls, one a line. Empty: all in the store.",
        ),
        "delete": Param(
            False,
            type="boolean",
            title="Mend the index",
            description="Take out of the index what the crawldb does not have as a good page.",
        ),
        **place_params(),
    }
