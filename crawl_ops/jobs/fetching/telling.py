"""How a running fetch is told to people."""

from collections.abc import Mapping
from typing import Any

STATES = {
    "running": "running",
    "ready": "ready",
    "resting": "resting",
    "backing_off": "backing off",
    "blocked": "blocked",
}


def progress_text(pages: int, left: int, rate: float, hosts: Mapping[str, Any]) -> str:
    """`hosts` is as FetchQueues.hosts has it; rate: pages a second so far."""
    counts = ", ".join(f"{hosts['states'][s]} {word}" for s, word in STATES.items()
                       if hosts["states"][s])  # fmt: skip
    line = f"{pages} of {pages + left} urls, {rate:.1f} pages/s; queues: {counts or 'none'}"
    if left and rate > 0:
        line += f"; {_duration(max(left / rate, hosts['longest_s']))} left"
    return line


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"
