"""Rows of crawl_parse on their way to a part file, as columns: a page has dozens of them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

import pyarrow as pa

from crawl_ops.storage.schema import check_nulls, schemas

PART = "crawl_parse"
LINKS_OF_GROUP = 32_768
"""Of a row group: readers want the links of a few targets."""
TARGETS_NUMBERED = 50_000


class LinkTarget(NamedTuple):
    """What a row says of the URL that is linked."""

    k: int
    slot: int
    to_url: str
    to_host: str
    to_domain: str

    @property
    def host(self) -> str:
        """As a UrlIdentity has it."""
        return self.to_host

    @property
    def domain(self) -> str:
        """As a UrlIdentity has it."""
        return self.to_domain


class LinkSource(NamedTuple):
    """What a row says of the page."""

    from_k: int
    from_url: str
    from_host: str
    attempt: str
    max_depth: int | None


@dataclass(slots=True)
class LinkColumns:
    """What rows say of the links themselves: lists of equal length, a row a link.

    target: what LinkBatches.number gave for it.
    """

    target: list[int] = field(default_factory=list)
    kind: list[str] = field(default_factory=list)
    position: list[int] = field(default_factory=list)
    anchor: list[str | None] = field(default_factory=list)
    rel: list[str | None] = field(default_factory=list)
    score: list[float] = field(default_factory=list)
    depth: list[int | None] = field(default_factory=list)
    interval_s: list[int | None] = field(default_factory=list)
    modified_time: list[datetime | None] = field(default_factory=list)

    def extend(self, other: "LinkColumns") -> None:
        """Add the rows of another."""
        for name in self.__slots__:
            getattr(self, name).extend(getattr(other, name))


class LinkBatches:
    """Collects links page by page; `flush` now and then, `tables` at the end.

    Targets and pages are kept once, and a row names them by number: pages share their links.
    """

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}
        """Targets by the URLs that they are linked by: for who judges to fill, emptied at times."""
        self._counted = [0, 0]  # targets, sources that are Arrow
        self._targets: list[LinkTarget] = []
        self._sources: list[LinkSource] = []
        self._of_source: list[int] = []
        self._links = LinkColumns()
        self._tables: tuple[list[pa.Table], list[pa.Table], list[pa.Table]] = ([], [], [])

    def __bool__(self) -> bool:
        """Whether there are links."""
        return bool(self._of_source or self._tables[2])

    def number(self, target: LinkTarget) -> int:
        """A number for a target, which may have others too."""
        self._targets.append(target)
        return self._counted[0] + len(self._targets) - 1

    def add(self, source: LinkSource, links: LinkColumns) -> None:
        """The links of a page."""
        source_number = self._counted[1] + len(self._sources)
        self._sources.append(source)
        self._of_source += [source_number] * len(links.target)
        self._links.extend(links)

    def flush(self) -> None:
        """Turn the rows so far into Arrow."""
        targets, sources, links = self._tables
        if self._targets:
            targets.append(_table(LinkTarget._fields, zip(*self._targets, strict=True)))
            self._counted[0] += len(self._targets)
            self._targets.clear()
        if self._sources:
            sources.append(_table(LinkSource._fields, zip(*self._sources, strict=True)))
            self._counted[1] += len(self._sources)
            self._sources.clear()
        if self._of_source:
            links.append(self._rows())
        if len(self.numbers) > TARGETS_NUMBERED:
            self.numbers.clear()

    def _rows(self) -> pa.Table:
        rows, of_source = self._links, self._of_source
        self._links, self._of_source = LinkColumns(), []
        names = rows.__slots__[1:]
        said = _table(names, [getattr(rows, name) for name in names])
        places = (pa.array(places, pa.int32()) for places in (rows.target, of_source))
        return pa.Table.from_arrays([*places, *said.columns], ["target", "source", *names])

    def tables(self) -> Iterator[pa.Table]:
        """All rows, sorted by their target, a row group at a time; none if there are none."""
        self.flush()
        if not self._tables[2]:
            return
        targets, sources, links = (pa.concat_tables(t).combine_chunks() for t in self._tables)
        for parts in self._tables:
            parts.clear()
        order = _order(targets, sources, links)
        for start in range(0, len(order), LINKS_OF_GROUP):
            yield _group(targets, sources, links.take(order.slice(start, LINKS_OF_GROUP)))


def _group(targets: pa.Table, sources: pa.Table, links: pa.Table) -> pa.Table:
    """Links with what is said of their targets and pages, as rows of the declared schema."""
    schema = schemas()[PART]
    columns = {
        **dict(zip(links.column_names, links.columns, strict=True)),
        **_taken(targets, links.column("target")),
        **_taken(sources, links.column("source")),
        "metadata": pa.nulls(links.num_rows, schema.field("metadata").type),
    }
    table = pa.Table.from_arrays([columns[name] for name in schema.names], schema=schema)
    check_nulls(PART, table)
    return table


def _table(names: Sequence[str], columns: Any) -> pa.Table:
    """Lists as columns of the declared types."""
    fields = [schemas()[PART].field(name) for name in names]
    arrays = [pa.array(values, one.type) for one, values in zip(fields, columns, strict=True)]
    return pa.Table.from_arrays(arrays, schema=pa.schema(fields))


def _taken(table: pa.Table, places: Any) -> Mapping[str, Any]:
    return dict(zip(table.column_names, table.take(places).columns, strict=True))


def _order(targets: pa.Table, sources: pa.Table, links: pa.Table) -> Any:
    """Where the rows come from when they are sorted by slot, key, page and position."""
    import pyarrow.compute as pc

    pages = pc.rank(sources.column("from_url"), tiebreaker="dense")
    keys: list[Any] = [
        targets.column("slot").take(links.column("target")),
        targets.column("k").take(links.column("target")),
        pages.take(links.column("source")),
        links.column("position"),
    ]
    names = ["slot", "k", "page", "position"]
    return pc.sort_indices(
        pa.Table.from_arrays(keys, names), [(name, "ascending") for name in names]
    )
