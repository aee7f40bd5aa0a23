"""The embedded Airflow: SQLite, one machine, loopback; its settings, and its database made ready.

Nothing here imports airflow before its settings are in the environment.
"""

import os
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from filelock import FileLock, Timeout

from crawl_ops.config.places import home
from crawl_ops.errors import CrawlError

if TYPE_CHECKING:
    from airflow.sdk import DAG

FETCH_POOL_SLOTS = 4


def settings(folder: Path) -> dict[str, str]:
    """Environment variables of an Airflow that lives in `folder`."""
    return {
        "AIRFLOW_HOME": str(folder),
        "AIRFLOW__CORE__DAGS_FOLDER": str(home() / "dags"),
        "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
        # SQLite waits five seconds for a lock unless told otherwise: too short on a busy machine.
        "AIRFLOW__DATABASE__SQL_ALCHEMY_CONN": f"sqlite:///{folder / 'airflow.db'}?timeout=60",
    }


def use(environment: dict[str, str]) -> None:
    """Put settings into this process, before its first import of airflow."""
    os.environ.update(environment)
    Path(environment["AIRFLOW_HOME"]).mkdir(parents=True, exist_ok=True)
    # Airflow's own imports; nothing that a person who crawls could do anything about.
    warnings.filterwarnings("ignore", message="Using `httpx` with `starlette.testclient`")


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Hold the Airflow in `folder` while the block runs. Raises CrawlError if another one does."""
    folder.mkdir(parents=True, exist_ok=True)
    lock = FileLock(folder / "in_use.lock", timeout=0)
    try:
        lock.acquire()
    except Timeout:
        raise CrawlError(f"{folder}: another process is using this Airflow") from None
    try:
        yield
    finally:
        lock.release()


def make_database(fetch_tasks: int = FETCH_POOL_SLOTS) -> None:
    """Create or migrate the metadata database, and the pool that bounds fetch tasks."""
    from airflow.models.pool import Pool
    from airflow.utils import db

    from crawl_ops.operators.crawl_dag import FETCH_POOL

    db.initdb()
    Pool.create_or_update_pool(FETCH_POOL, fetch_tasks, "fetch tasks of all crawls", False)


def load_dag(dag_id: str) -> "DAG":
    """The DAG as the files in dags/ have it. Raises CrawlError with the first import error."""
    from airflow.dag_processing.dagbag import DagBag

    bag = DagBag(str(home() / "dags"))
    for file, error in bag.import_errors.items():
        raise CrawlError(f"{file}: {error.strip().splitlines()[-1]}")
    if dag_id not in bag.dags:
        raise CrawlError(f"{home() / 'dags'}: there is no DAG {dag_id}")
    return bag.dags[dag_id]


def unfinished_run(dag_id: str, conf: Mapping[str, Any]) -> datetime | None:
    """The date of the latest run, if it asked for the same and did not end well.

    A run of the same date has the same run id: its finished steps are not done again.
    """
    from airflow.models.dagrun import DagRun
    from airflow.utils.session import create_session
    from sqlalchemy import select

    latest = select(DagRun).where(DagRun.dag_id == dag_id).order_by(DagRun.id.desc()).limit(1)
    with create_session() as session:
        run = session.scalars(latest).first()
        if run is None or str(run.state) == "success" or (run.conf or {}) != conf:
            return None
        return run.run_after
