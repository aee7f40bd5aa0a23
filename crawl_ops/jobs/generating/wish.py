"""What is asked of a selection, apart from the configuration."""

from dataclasses import dataclass
from typing import Literal

RedoWhat = Literal["failed", "all", "none"]


@dataclass(frozen=True, slots=True)
class Again:
    """URLs of an earlier run that are to be asked for again.

    depth None: of all its depths. lists, hosts: only these; all, if empty. everything: not only
    what failed.
    """

    run_id: str
    depth: int | None = None
    lists: tuple[int, ...] = ()
    hosts: tuple[str, ...] = ()
    everything: bool = False


@dataclass(frozen=True, slots=True)
class Wish:
    """Sizes of a selection, and what asking again for a folded depth means."""

    topn: int
    num_fetchers: int
    redo: RedoWhat = "failed"
    again: Again | None = None
