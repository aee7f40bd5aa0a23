"""What happens when a run is late: a line in the log, at level ERROR, for whatever watches logs.

docs/operations.md shows how to send mail instead.
"""

import logging
from collections.abc import Mapping
from typing import Any

_log = logging.getLogger(__name__)


def late(context: Mapping[str, Any] | None = None, **_: Any) -> None:
    """The callback of a DAG's deadline."""
    run = (context or {}).get("dag_run") or {}
    name = run.get("dag_run_id") or run.get("run_id") if isinstance(run, Mapping) else run.run_id
    _log.error("run %s is late: it has passed its deadline and goes on", name)
