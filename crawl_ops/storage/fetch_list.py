"""A fetch list in memory, as columns: a row is made when its turn comes."""

from collections.abc import Iterator
from typing import Any

import pyarrow as pa

from crawl_ops.errors import StoreError
from crawl_ops.storage.schema import schemas
from crawl_ops.storage.segment import Segment
from crawl_ops.storage.telling import MENDING

PART = "crawl_generate"
BLOCK_ROWS = 16  # made at once: they cost little more than one
ROWS_KEPT = 4_096  # whose turn has not come


class FetchList:
    """The rows of crawl_generate of one list, by position from 0.

    Raises StoreError if there are not as many as generate has selected: a file was lost.
    """

    def __init__(self, segment: Segment, number: int) -> None:
        self.number = number
        tables = [segment.read_part(file, PART) for file in segment.part_files(PART, [number])]
        # What DuckDB has written may say that a column can be NULL where the schema says not.
        whole = pa.concat_tables(
            [schemas()[PART].empty_table(), *tables], promote_options="default"
        )
        self.total: int = whole.num_rows
        self._check_whole(segment)
        # One array a column: a value of a chunked column takes ten times as long to find.
        self._columns = {
            name: pa.concat_arrays(column.chunks)
            for name, column in zip(whole.column_names, whole.columns, strict=True)
        }
        self._given = [
            (name, array)
            for name, array in self._columns.items()
            if array.null_count < self.total or not self.total
        ]
        self._names = [name for name, _ in self._given]
        self._nulls = dict.fromkeys(self._columns)
        self._made: dict[int, tuple[Any, ...]] = {}

    def _check_whole(self, segment: Segment) -> None:
        listed = [entry for entry in segment.info()["lists"] if entry["list"] == self.number]
        for entry in listed:
            if self.total != entry.get("urls", self.total):
                folder = segment.files.location(f"{segment.folder}/{PART}/list-{self.number:03}")
                raise StoreError(
                    f"{folder}: holds {self.total} URLs, generate has selected {entry['urls']}:"
                    f" a file is missing; {MENDING}"
                )

    def hosts(self) -> set[str]:
        """The hosts of the list."""
        # Array.unique would load pyarrow.compute for this alone: 60 ms, 7 MB.
        return {str(host) for host in self._columns["host"].to_pylist()}

    def entries(self) -> Iterator[tuple[int, int, str, str]]:
        """(position, k, host, domain) of every row, in the order of the list."""
        columns = [self._columns[name].to_pylist() for name in ("k", "host", "domain")]
        for position, (k, host, domain) in enumerate(zip(*columns, strict=True)):
            yield position, k, host, domain

    def url(self, position: int) -> str:
        """The URL at a position."""
        return str(self._columns["url"][position].as_py())

    def row(self, position: int) -> dict[str, Any]:
        """The row at a position; made to be asked for once."""
        values = self._made.pop(position, None)
        if values is None:
            self._make(position // BLOCK_ROWS * BLOCK_ROWS)
            values = self._made.pop(position)
        return self._nulls | dict(zip(self._names, values, strict=True))

    def _make(self, start: int) -> None:
        """Some rows from a position on. Hosts are interleaved: their turns come close together."""
        columns = [array.slice(start, BLOCK_ROWS).to_pylist() for _, array in self._given]
        self._made.update(enumerate(zip(*columns, strict=True), start))
        while len(self._made) > ROWS_KEPT:
            del self._made[next(iter(self._made))]
