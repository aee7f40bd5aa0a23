"""The DAG that asks again for what failed in an earlier run: a dry run first."""

from airflow.sdk import DAG, Param, chain

from crawl_ops.operators.crawl_dag import finish_of, round_of, settings_of
from crawl_ops.operators.form import (
    HOST,
    check_params,
    crawl_id_param,
    fetch_params,
    place_params,
)
from crawl_ops.operators.redo import RedoOperator

DOC = """\
Ask again for what failed in an earlier run: in all of its depths or one, on some hosts, in some
fetch lists. **plan** tells how many URLs these are and why they failed; a *dry run* ends there and
has changed nothing. A page that was had since is not asked for, and newer facts stay.
"""

AGAIN = (
    '{{ {"run_id": params.run_id, "depth": params.depth, "lists": params.only_lists,'
    ' "hosts": params.only_hosts, "everything": params.what == "all"} }}'
)


def redo_dag(dag_id: str, *, crawl_id: str) -> DAG:
    """The DAG `dag_id`; `crawl_id` is the crawl it works on, where a run names none."""
    with DAG(
        dag_id,
        schedule=None,
        description="Ask again for what failed in an earlier run",
        doc_md=DOC,
        **settings_of(crawl_id, redo_params()),
    ) as dag:
        plan = RedoOperator(task_id="plan", again=AGAIN, only_tell="{{ params.dry_run }}")
        chain(plan, round_of(1, after="plan", again=AGAIN), *finish_of(crawl_id))
    return dag


def redo_params() -> dict[str, Param]:
    """The form: which run and what of it, dry run or not, and how to crawl."""
    return {
        "run_id": Param(
            None,
            type=["null", "string"],
            title="Run id",
            description="The run to ask again, of any DAG that crawls this folder; the list of "
            "runs shows it.",
        ),
        "depth": Param(
            None,
            type=["null", "integer"],
            minimum=1,
            title="Depth",
            description="Only this depth of it. Empty: all depths.",
        ),
        "what": Param(
            "failed",
            enum=["failed", "all"],
            values_display={"failed": "what failed", "all": "everything"},
            title="What",
            description="Pages that failed and were not had since; or all pages.",
        ),
        "only_hosts": Param(
            None,
            type=["null", "array"],
            items={"type": "string", "pattern": HOST},
            title="Hosts",
            description="Only these hosts, one a line. Empty: all.",
        ),
        "only_lists": Param(
            None,
            type=["null", "array"],
            items={"type": "integer", "minimum": 0},
            title="Fetch lists",
            description="Only these fetch lists, by number. Empty: all.",
        ),
        "dry_run": Param(
            True,
            type="boolean",
            title="Dry run",
            description="Tell what would be asked again, and change nothing.",
        ),
        **fetch_params(),
        **check_params(),
        "crawl_id": crawl_id_param(),
        **place_params(),
    }
