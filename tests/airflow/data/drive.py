"""Airflow in one process, told what to do by lines of JSON on standard input, one answer a line.

    {"do": "run", "dag": "crawl", "run_id": "r", "conf": {}, "date": "2026-01-01T00:00:00+00:00"}
    {"do": "run", "dag": "crawl", "run_id": "r", "conf": {}, "type": "asset_triggered"}
    {"do": "clear", "dag": "crawl", "run_id": "r", "tasks": ["depth_02.generate"]}
    {"do": "clear_failed", "dag": "crawl", "run_id": "r"}
    {"do": "backfill", "dag": "crawl_daily", "from": "…", "to": "…", "behavior": "none", "conf": {}}
    {"do": "break", "task": "depth_02.updatedb", "times": 1}       the next tries of it fail
    {"do": "told", "task": "depth_02.partition.fetch"}             why the last try of it failed
    {"do": "xcoms", "dag": "crawl", "run_id": "r"}

What is cleared is run to its end, as the scheduler would. Tasks have one retry, without a delay.
"""

import json
import logging
import sys
import threading
from datetime import datetime, timedelta

from crawl_ops.config.places import airflow_home
from crawl_ops.operators.embedded import make_database, settings, use

use({**settings(airflow_home("drive")), "AIRFLOW__LOGGING__LOGGING_LEVEL": "CRITICAL"})
logging.captureWarnings(True)
answers = sys.stdout
sys.stdout = sys.stderr
make_database()

from airflow.dag_processing.bundles.manager import DagBundlesManager  # noqa: E402
from airflow.dag_processing.dagbag import BundleDagBag, sync_bag_to_db  # noqa: E402
from airflow.models.backfill import ReprocessBehavior, _create_backfill  # noqa: E402
from airflow.models.dagrun import DagRun  # noqa: E402
from airflow.models.serialized_dag import SerializedDagModel  # noqa: E402
from airflow.models.xcom import XComModel  # noqa: E402
from airflow.sdk.definitions.dag import _run_task  # noqa: E402
from airflow.sdk.timezone import utcnow  # noqa: E402
from airflow.utils.session import create_session  # noqa: E402
from airflow.utils.state import DagRunState, TaskInstanceState  # noqa: E402
from airflow.utils.types import DagRunTriggeredByType, DagRunType  # noqa: E402
from sqlalchemy import select  # noqa: E402

from crawl_ops.errors import CommitConflictError  # noqa: E402
from crawl_ops.operators.crawl_operator import CrawlOperator  # noqa: E402
from crawl_ops.operators.list_operator import ListOperator  # noqa: E402

manager = DagBundlesManager()
with create_session() as opened:
    manager.sync_bundles_to_db(session=opened)
(bundle,) = manager.get_all_dag_bundles()
bundle.initialize()
bag = BundleDagBag(dag_folder=bundle.path, bundle_path=bundle.path, bundle_name=bundle.name)
for dag in bag.dags.values():
    for task in dag.tasks:
        kept = task.partial_kwargs if task.is_mapped else vars(task)
        kept |= {"retries": 1, "retry_delay": timedelta(0), "retry_exponential_backoff": 0}
sync_bag_to_db(bag, bundle.name, bundle.version)
broken: dict[str, int] = {}
told: dict[str, str] = {}
moment = threading.Event()


def make_breakable(operator):
    job = operator.run_job

    def run_job(self, *args):
        if broken.get(self.task_id, 0) > 0:
            broken[self.task_id] -= 1
            raise CommitConflictError("broken by the test")
        try:
            return job(self, *args)
        except Exception as error:
            told[self.task_id] = str(error)
            sys.stderr.write(f"{self.task_id}: {error!r}\n")
            raise

    operator.run_job = run_job


for operator in CrawlOperator.__subclasses__():
    if "run_job" in vars(operator):
        make_breakable(operator)
for operator in ListOperator.__subclasses__():
    make_breakable(operator)


def serialized(dag_id):
    return SerializedDagModel.get_dag(dag_id)


def found(session, dag_id, run_id):
    query = select(DagRun).where(DagRun.dag_id == dag_id, DagRun.run_id == run_id)
    return session.scalars(query).one()


def drive(dag_id, run_id):
    """Run what is to be run, in the order of a scheduler."""
    dag = bag.dags[dag_id]
    with create_session() as session:
        run = found(session, dag_id, run_id)
        run.dag = serialized(dag_id)
        run.state = DagRunState.RUNNING
        run.start_date = run.start_date or utcnow()
        session.commit()
        while run.state == DagRunState.RUNNING:
            session.expire_all()
            run.dag = serialized(dag_id)
            ready, _ = run.update_state(session=session, execute_callbacks=False)
            for ti in ready:
                ti.try_number += 1
                ti.state = TaskInstanceState.SCHEDULED
            session.commit()
            if not ready:
                moment.wait(0.1)
            for ti in ready:
                _run_task(ti=ti, task=dag.task_dict[ti.task_id])
        states = {}
        for ti in run.get_task_instances(session=session):
            name = ti.task_id if ti.map_index < 0 else f"{ti.task_id}[{ti.map_index}]"
            states[name] = str(ti.state)
        return {"run_id": run_id, "state": str(run.state), "tasks": states}


def run(asked):
    dag = serialized(asked["dag"])
    date = datetime.fromisoformat(asked["date"]) if asked.get("date") else None
    now = utcnow()
    with create_session() as session:
        dag.create_dagrun(
            run_id=asked["run_id"],
            logical_date=date,
            data_interval=(date, date) if date else None,
            run_after=date or now,
            conf=asked.get("conf"),
            run_type=DagRunType(asked.get("type", "manual")),
            triggered_by=DagRunTriggeredByType.TEST,
            state=DagRunState.QUEUED,
            session=session,
        )
    return drive(asked["dag"], asked["run_id"])


def clear(asked):
    dag = bag.dags[asked["dag"]]
    tasks = set(asked["tasks"])
    for name in asked["tasks"]:
        tasks |= set(dag.get_task(name).get_flat_relative_ids(upstream=False))
    with create_session() as session:
        serialized(asked["dag"]).clear(
            task_ids=sorted(tasks), run_id=asked["run_id"], session=session
        )
        if "conf" in asked:  # as a backfill that reprocesses sets it
            found(session, asked["dag"], asked["run_id"]).conf = asked["conf"]
    return drive(asked["dag"], asked["run_id"])


def clear_failed(asked):
    with create_session() as session:
        serialized(asked["dag"]).clear(run_id=asked["run_id"], only_failed=True, session=session)
    return drive(asked["dag"], asked["run_id"])


def backfill(asked):
    from airflow.models.backfill import Backfill, BackfillDagRun

    made = _create_backfill(
        dag_id=asked["dag"],
        from_date=datetime.fromisoformat(asked["from"]),
        to_date=datetime.fromisoformat(asked["to"]),
        max_active_runs=1,
        reverse=False,
        dag_run_conf=asked.get("conf"),
        triggering_user_name=None,
        reprocess_behavior=ReprocessBehavior(asked["behavior"]),
    )
    with create_session() as session:
        query = (
            select(DagRun.run_id)
            .join(BackfillDagRun, BackfillDagRun.dag_run_id == DagRun.id)
            .where(BackfillDagRun.backfill_id == made.id)
            .order_by(DagRun.run_after)
        )
        names = session.scalars(query).all()
    runs = [drive(asked["dag"], name) for name in names]
    with create_session() as session:
        session.get(Backfill, made.id).completed_at = utcnow()
    return {"runs": runs}


def break_(asked):
    broken[asked["task"]] = asked["times"]
    return {}


def xcoms(asked):
    with create_session() as session:
        query = select(XComModel).where(
            XComModel.dag_id == asked["dag"], XComModel.run_id == asked["run_id"]
        )
        return {
            "xcoms": [
                [
                    row.task_id,
                    row.key,
                    row.value if isinstance(row.value, str) else json.dumps(row.value),
                ]
                for row in session.scalars(query)
            ]
        }


def last_told(asked):
    return {"told": told[asked["task"]]}


VERBS = {
    "run": run,
    "clear": clear,
    "clear_failed": clear_failed,
    "backfill": backfill,
    "break": break_,
    "told": last_told,
    "xcoms": xcoms,
}
for line in sys.stdin:
    asked = json.loads(line)
    answers.write(json.dumps(VERBS[asked["do"]](asked)) + "\n")
    answers.flush()
