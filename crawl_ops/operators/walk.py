"""Why a depth is asked for again: because it was cleared, or on the way through its whole run.

Airflow counts how often tasks of a run were cleared, and does not say which. So each step notes
that number, and hands it to the next one. A depth that is asked for again without the step before
it was cleared by itself: what failed in it is to be asked for again. On a way through the run from
its start (a backfill that reprocesses, a run that is cleared as a whole or goes on after a kill) a
depth that is finished stays as it is, unless the run's param `redo` says otherwise; and after a
depth that was cleared the next ones follow it.
"""

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from crawl_ops.storage.runs import Asked, asked, note_asked

if TYPE_CHECKING:
    from airflow.sdk import Context

    from crawl_ops.storage.files import LocalFiles

KEY = "walk"
USUAL_REDO = "failed"


@dataclass(frozen=True, slots=True)
class Walk:
    """How a step was asked for: clears of its run by then, and what is redone."""

    clears: int
    redo: str


def clears_of(context: "Context") -> int:
    """How often tasks of the run have been cleared."""
    return int(getattr(context["dag_run"], "clear_number", 0) or 0)


def walk_of(context: "Context", after: str, redo: str | None) -> tuple[Walk, Walk | None]:
    """The step as if it was cleared by itself, and the step before as it said."""
    given = context["ti"].xcom_pull(task_ids=after, key=KEY)
    return Walk(clears_of(context), redo or USUAL_REDO), Walk(**given) if given else None


def redo_wanted(
    files: "LocalFiles", run_id: str, depth: int, alone: Walk, before: Walk | None
) -> Walk:
    """How this step is asked for; the same when a try of it failed and it is asked again."""
    last = asked(files, run_id, depth)
    redo = alone.redo
    if before is not None and before.clears == alone.clears:
        redo = before.redo
    elif last is not None and last.clears == alone.clears:
        redo = last.redo
    elif before is not None and (last is None or before.clears > last.clears):
        redo = before.redo
    how = Asked(alone.clears, redo)
    if how != last:
        note_asked(files, run_id, depth, how)
    return Walk(alone.clears, redo)


def hand_walk_on(context: "Context", walk: Walk) -> None:
    """Tell the step after this one."""
    context["ti"].xcom_push(KEY, asdict(walk))
