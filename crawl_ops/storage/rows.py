"""Rows from Python on their way to a part file, kept as Arrow so that they take little memory."""

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from crawl_ops.storage.schema import schemas, table_of


class RowBatches:
    """Collects rows of one table: append to `rows`, `flush` now and then, `table` at the end."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.rows: list[dict[str, Any]] = []
        self._tables: list[pa.Table] = []

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
