"""How a running fetch is told to people."""

from collections.abc import Mapping, Sequence
from typing import Any

STATES = {
    "running": "running",
    "ready": "ready",
    "resting": "resting",
    "backing_off": "backing off",
    "blocked": "blocked",
}


TOLD_BY_URL = 3
"""So few URLs are named while they are waited for; of more, the host that has all the rest."""
PATIENCE_S = 5.0
NAME_MOST = 200  # characters


def progress_text(
    pages: int,
    left: int,
    rate: float,
    hosts: Mapping[str, Any],
    asked: Sequence[tuple[str, float]] = (),
) -> str:
    """`hosts` is as FetchQueues.hosts has it; rate: pages a second so far.

    asked: the URLs on the wire with their seconds, where they are to be named.
    """
    counts = ", ".join(f"{hosts['states'][s]} {word}" for s, word in STATES.items()
                       if hosts["states"][s])  # fmt: skip
    line = f"{pages} of {pages + left} urls, {rate:.1f} pages/s; queues: {counts or 'none'}"
    if left and rate > 0:
        line += f"; {_duration(max(left / rate, hosts['longest_s']))} left"
    waited_for = [
        f"{_duration(seconds)} for {url[:NAME_MOST]}"
        for url, seconds in asked
        if seconds >= PATIENCE_S
    ]
    if waited_for:
        line += f"; waiting {', '.join(waited_for)}"
    elif len(hosts["last"]) == 1:
        line += f"; the rest is of {_told(*hosts['last'][0])}"
    return line


def _told(queue: str, state: str, left: int, seconds: float) -> str:
    host = f"{queue[:NAME_MOST]}: {left} url{'s' * (left != 1)}"
    if state == "running":
        return f"{host}, asked {_duration(seconds)} ago" if seconds >= PATIENCE_S else host
    return f"{host}, next in {_duration(seconds)}" if seconds >= PATIENCE_S else host


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"
