"""Rows from Python on their way to a part file, kept as Arrow so that they take little memory."""

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from crawl_ops.storage.schema import schemas, table_by_column, table_of


class RowBatches:
    """Collects rows of one table: append to `rows`, `flush` now and then, `table` at the end.

    Many rows at once are better given by column, to `add`.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.rows: list[dict[str, Any]] = []
        self._tables: list[pa.Table] = []

    def add(self, columns: Mapping[str, Any]) -> None:
        """Rows by column, lists or Arrow's; what is missing is NULL."""
        self._tables.append(table_by_column(self.name, columns))

    def flush(self) -> None:
        """Turn the rows so far into Arrow."""
        if self.rows:
            self._tables.append(table_of(self.name, self.rows))
            self.rows.clear()

    def take(self) -> pa.Table:
        """All rows so far, which are forgotten."""
        table = self.table()
        self._tables.clear()
        return table

    def table(self, by: Sequence[str] = ()) -> pa.Table:
        """All rows, sorted by the columns named."""
        self.flush()
        if not self._tables:
            return schemas()[self.name].empty_table()
        whole = pa.concat_tables(self._tables)
        return whole.sort_by([(name, "ascending") for name in by]) if by else whole


def joined(arrays: Sequence[Any]) -> Any:
    """Arrow's arrays as one."""
    return arrays[0] if len(arrays) == 1 else pa.concat_arrays(arrays)
