"""What stands behind the URL of a seed line: `name=value`, separated by tabs."""

import json
import logging
import math
from typing import Any

from crawl_ops.config.group import INTEGER_MAX
from crawl_ops.jobs.injecting.lines import Block

log = logging.getLogger("crawl_ops.jobs.inject")

WARNINGS_MAX = 1000
REMEMBERED = 10_000
_NUMBERS: dict[str, tuple[str, float]] = {  # name: what it may be, its least
    "nutch.score": ("a number", -math.inf),
    "nutch.fetchInterval": ("seconds from 0", 0),
    "nutch.fetchInterval.fixed": ("seconds from 0", 0),
    "_maxdepth_": ("a number from 1", 1),
}


class Fields:
    """Reads fields of seed lines. What is ignored is one warning each that names file and line.

    plain: the columns of a seed that nothing is said of, in their order.
    """

    def __init__(self, plain: dict[str, Any]) -> None:
        self.ignored = 0
        self._plain = plain
        self._known: dict[str, tuple[Any, ...]] = {}

    def said(self, rest: str, block: Block, at: int) -> tuple[Any, ...]:
        """The columns of a seed, by what stands behind its URL."""
        found = self._known.get(rest)
        if found is None:
            row, before = dict(self._plain), self.ignored
            self._apply(row, rest, block.where(at))
            found = tuple(row.values())
            if self.ignored == before and len(self._known) < REMEMBERED:
                self._known[rest] = found
        return found

    def _apply(self, row: dict[str, Any], rest: str, where: str) -> None:
        """Put the fields of a seed line into its row; a number that is none is ignored (Nutch
        rule 3.1), and so is a field without `=`.
        """
        metadata: dict[str, Any] = {}
        for piece in rest.strip().split("\t"):
            name, equals, value = piece.partition("=")
            if not equals:
                if piece.strip():
                    self._ignore(where, f"{piece[:100]!r} is no name=value")
            elif name in _NUMBERS:
                self._number(row, metadata, name, value, where)
            else:
                metadata[name] = value.replace("\0", "")
        if metadata:
            row["metadata"] = json.dumps(metadata, ensure_ascii=False, sort_keys=True)

    def _number(
        self, row: dict[str, Any], metadata: dict[str, Any], name: str, value: str, where: str
    ) -> None:
        wanted, least = _NUMBERS[name]
        number = _finite(value)
        if number is None or not (least <= number and abs(number) <= _most(name)):
            self._ignore(where, f"{name}={value[:50]!r} is not {wanted}")
        elif name == "nutch.score":
            row["score"] = number
        elif name == "_maxdepth_":
            row["max_depth"] = int(number)
        else:
            row["interval_s"] = int(number)
            if name == "nutch.fetchInterval.fixed":
                metadata["fixedInterval"] = number

    def _ignore(self, where: str, what: str) -> None:
        self.ignored += 1
        if self.ignored <= WARNINGS_MAX:
            log.warning("inject: %s: %s; ignored", where, what)
        elif self.ignored == WARNINGS_MAX + 1:
            log.warning("inject: more fields of seed lines are ignored; not told any more")


def _most(name: str) -> float:
    return math.inf if name == "nutch.score" else INTEGER_MAX


def _finite(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None
