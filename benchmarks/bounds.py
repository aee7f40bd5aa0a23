"""Bounds of a benchmark: each told as met or missed, and the exit code they come to."""

from collections.abc import Iterable
from typing import NamedTuple


class Bound(NamedTuple):
    """A figure and where it has to stay: at most `most`, at least `least`."""

    what: str
    figure: float
    most: float | None = None
    least: float | None = None

    @property
    def is_met(self) -> bool:
        """Whether the figure is within."""
        above = self.most is not None and self.figure > self.most
        return not above and not (self.least is not None and self.figure < self.least)

    def __str__(self) -> str:
        most = "" if self.most is None else f", at most {_shown(self.most)}"
        least = "" if self.least is None else f", at least {_shown(self.least)}"
        met = "met   " if self.is_met else "missed"
        return f"{met} {self.what}: {_shown(self.figure)}{least}{most}"


def _shown(figure: float) -> str:
    return f"{figure:.3g}" if abs(figure) < 1000 else f"{figure:,.0f}"


def exit_code(bounds: Iterable[Bound]) -> int:
    """Print all bounds; 1 when one is missed, 0 when none is."""
    found = list(bounds)
    for bound in found:
        print(f"  {bound}")
    return 0 if all(bound.is_met for bound in found) else 1
