"""Rows of crawl_parse on their way to a part file, as columns: a page has dozens of them."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, NamedTuple

import pyarrow as pa

from crawl_ops.storage.schema import check_nulls, schemas

PART = "crawl_parse"
BY = ("slot", "k", "from_url", "position")


class LinkTarget(NamedTuple):
    """What a row says of the URL that is linked."""

    k: int
    slot: int
    to_url: str
    to_host: str
    to_domain: str


class LinkSource(NamedTuple):
    """What a row says of the page."""

    from_k: int
    from_url: str
    from_host: str
    attempt: str
    max_depth: int | None


class LinkRow(NamedTuple):
    """What a row says of the link itself."""

    kind: str
    position: int
    anchor: str | None
    rel: str | None
    score: float
    depth: int | None
    interval_s: int | None
    modified_time: datetime | None


class LinkBatches:
    """Collects links page by page; `flush` now and then, `table` at the end.

    Targets and pages are kept once, and a row names them by number: pages share their links.
    """

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._targets: list[LinkTarget] = []
        self._sources: list[LinkSource] = []
        self._of_target: list[int] = []
        self._of_source: list[int] = []
        self._links: list[LinkRow] = []
        self._tables: list[pa.Table] = []

    def add(self, source: LinkSource, links: Iterable[tuple[LinkTarget, LinkRow]]) -> None:
        """The links of a page."""
        numbers, targets = self._numbers, self._targets
        before = len(self._links)
        for target, link in links:
            at = numbers.get(target.to_url)
            if at is None:
                at = numbers[target.to_url] = len(targets)
                targets.append(target)
            self._of_target.append(at)
            self._links.append(link)
        self._of_source += [len(self._sources)] * (len(self._links) - before)
        self._sources.append(source)

    def flush(self) -> None:
        """Turn the rows so far into Arrow."""
        if self._links:
            columns = {
                **_columns(LinkTarget._fields, self._targets, self._of_target),
                **_columns(LinkSource._fields, self._sources, self._of_source),
                **_columns(LinkRow._fields, self._links),
            }
            schema = schemas()[PART]
            columns["metadata"] = pa.nulls(len(self._links), schema.field("metadata").type)
            table = pa.Table.from_arrays([columns[name] for name in schema.names], schema=schema)
            check_nulls(PART, table)
            self._tables.append(table)
        self._numbers.clear()
        for kept in (self._targets, self._sources, self._of_target, self._of_source, self._links):
            kept.clear()

    def table(self) -> pa.Table:
        """All rows, sorted by their target."""
        self.flush()
        if not self._tables:
            return schemas()[PART].empty_table()
        return pa.concat_tables(self._tables).sort_by([(name, "ascending") for name in BY])


def _columns(
    names: Sequence[str], rows: Sequence[Sequence[Any]], places: Sequence[int] | None = None
) -> dict[str, Any]:
    """Rows as columns of the declared types; places: which row stands where, if not in order."""
    schema = schemas()[PART]
    arrays = {
        name: pa.array(values, schema.field(name).type)
        for name, values in zip(names, zip(*rows, strict=True), strict=True)
    }
    if places is None:
        return arrays
    indices = pa.array(places, pa.int32())
    return {name: array.take(indices) for name, array in arrays.items()}
