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
        most = "" if self.most is None else f", at most {self.most:.3g}"
        least = "" if self.least is None else f", at least {self.least:.3g}"
        return (
            f"{'met   ' if self.is_met else 'missed'} {self.what}: {self.figure:.3g}{least}{most}"
        )


def exit_code(bounds: Iterable[Bound]) -> int:
    """Print all bounds; 1 when one is missed, 0 when none is."""
    found = list(bounds)
    for bound in found:
        print(f"  {bound}")
    return 0 if all(bound.is_met for bound in found) else 1
