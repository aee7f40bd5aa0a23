"""What happens when a run is late: a line in the log, at level ERROR, for whatever watches logs.

docs/operations.md shows how to send mail instead.
"""

import logging
from collections.abc import Mapping
from typing import Any

_log = logging.getLogger(__name__)


def late(context: Mapping[str, Any] | None = None, **_: Any) -> None:
    """The callback of a DAG's deadline; Airflow hands over the run as its REST API has it."""
    run = (context or {}).get("dag_run") or {}
    _log.error("%s, run %s: is late; it goes on", run.get("dag_id"), run.get("dag_run_id"))
