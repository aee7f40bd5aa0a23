"""The pages behind Airflow's own login and permissions."""

from collections.abc import Iterable

from airflow.api_fastapi.app import get_auth_manager
from airflow.api_fastapi.auth.managers.models.resource_details import DagAccessEntity
from airflow.api_fastapi.core_api.security import GetUserDep, get_user, requires_access_dag
from airflow.configuration import conf
from airflow.sdk.timezone import utcnow
from fastapi import FastAPI

from crawl_ops.web.airflow_runs import AirflowRuns
from crawl_ops.web.app import create_app
from crawl_ops.web.bounded import PATIENCE_S, THREADS, Answers
from crawl_ops.web.pages import Access

SECTION = "crawl"


def make_app() -> FastAPI:
    """The application for Airflow's API server.

    Without a valid session or token: 401; for a run whose DAG one may not read: 403.
    """
    access = Access(
        signed_in=get_user,
        may_read_run=requires_access_dag("GET", DagAccessEntity.RUN),
        dag_ids=readable_dags,
    )
    answers = Answers(
        threads=conf.getint(SECTION, "page_threads", fallback=THREADS),
        patience_s=conf.getfloat(SECTION, "page_seconds", fallback=PATIENCE_S),
    )
    return create_app(AirflowRuns(), access, utcnow, answers)


def readable_dags(user: GetUserDep) -> Iterable[str]:
    """The DAGs that a user may read."""
    return get_auth_manager().get_authorized_dag_ids(user=user, method="GET")
