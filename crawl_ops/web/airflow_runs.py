"""Runs as Airflow's metadata database knows them. For the API server only, never for a task."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from airflow.models.dagrun import DagRun
from airflow.models.renderedtifields import RenderedTaskInstanceFields as Rendered
from airflow.models.taskinstance import TaskInstance
from airflow.utils.session import create_session
from sqlalchemy import Select, and_, select
from sqlalchemy.orm import Session

from crawl_ops.web.runs import OPERATORS, Run

FIELDS_MOST = 400
FOLDERS_MOST = 20


class AirflowRuns:
    """Looks runs up; a query each, bounded."""

    def of(self, dag_id: str, run_id: str) -> Run | None:
        """One run with the crawl folder its operators were given."""
        with create_session() as session:
            found = session.scalar(
                select(DagRun).where(DagRun.dag_id == dag_id, DagRun.run_id == run_id)
            )
            if found is None:
                return None
            of_dag = _fields().where(Rendered.dag_id == dag_id)
            own = _rendered(session, of_dag.where(Rendered.run_id == run_id))
            ours = select(TaskInstance.task_id).where(
                TaskInstance.dag_id == dag_id,
                TaskInstance.run_id == run_id,
                TaskInstance.operator.in_(OPERATORS),
            )
            crawls = session.scalars(ours.limit(1)).first() is not None
            return _run(found, own or _rendered(session, of_dag), crawls)

    def recent(self, dag_ids: Iterable[str] | None, most: int) -> Sequence[Run]:
        """The newest runs of DAGs with operators of ours."""
        crawls = select(TaskInstance.dag_id).where(TaskInstance.operator.in_(OPERATORS)).distinct()
        newest = (
            select(DagRun)
            .where(DagRun.dag_id.in_(crawls))
            .order_by(DagRun.run_after.desc())
            .limit(most)
        )
        if dag_ids is not None:
            newest = newest.where(DagRun.dag_id.in_(sorted(dag_ids)))
        with create_session() as session:
            found = session.scalars(newest).all()
            names = sorted({run.dag_id for run in found})
            rendered = _rendered(session, _fields().where(Rendered.dag_id.in_(names)))
            return [_run(run, rendered, True) for run in found]


_Fields = tuple[str, str, Mapping[str, Any]]


def _fields() -> Select[Any]:
    """Rendered fields of our operators, newest runs first; one task a run and map is enough."""
    return (
        select(Rendered.dag_id, Rendered.run_id, Rendered.rendered_fields)
        .join(
            TaskInstance,
            and_(
                TaskInstance.dag_id == Rendered.dag_id,
                TaskInstance.run_id == Rendered.run_id,
                TaskInstance.task_id == Rendered.task_id,
                TaskInstance.map_index == Rendered.map_index,
            ),
        )
        .where(TaskInstance.operator.in_(OPERATORS), Rendered.map_index == -1)
        .order_by(TaskInstance.start_date.desc())
        .limit(FIELDS_MOST)
    )


def _rendered(session: Session, query: Select[Any]) -> list[_Fields]:
    return [(row[0], row[1], row[2] or {}) for row in session.execute(query)]


def _run(run: DagRun, rendered: Sequence[_Fields], crawls: bool) -> Run:
    """A run. Airflow keeps the fields of the newest runs only: an older one has its DAG's."""
    of_dag = [entry for entry in rendered if entry[0] == run.dag_id]
    own = [fields for _, run_id, fields in of_dag if run_id == run.run_id]
    others = [fields for _, _, fields in of_dag]
    files = _given("config_file", own or others)
    return Run(
        dag_id=run.dag_id,
        run_id=run.run_id,
        state=str(run.state or ""),
        started=run.start_date,
        ended=run.end_date,
        folders=_given("crawl_dir", own),
        dag_folders=() if own else _given("crawl_dir", others),
        config_file=files[0] if files else None,
        conf=run.conf or {},
        crawls=crawls,
    )


def _given(name: str, rendered: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """Values of a field, each once, newest first."""
    values = (str(fields[name]) for fields in rendered if fields.get(name))
    return tuple(dict.fromkeys(values))[:FOLDERS_MOST]
