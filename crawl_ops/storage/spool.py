"""Rows of one job that wait on disk, in the order they came, until the engine reads them."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from crawl_ops.errors import StoreError, os_reason
from crawl_ops.storage.schema import lists_of, schemas


class Spool:
    """Some columns of a declared table, written some thousand rows at a time.

    Raises StoreError naming the file when a disk is full.
    """

    def __init__(self, path: Path, table: str, columns: Sequence[str]) -> None:
        self.path = path
        self.table = table
        self.columns = tuple(columns)
        schema = pa.schema([schemas()[table].field(column) for column in columns])
        # Names come again and again, URLs and keys do not.
        again: Any = [name for name in columns if name not in ("k", "url")]
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._writer = pq.ParquetWriter(
                path, schema, compression="lz4", use_dictionary=again, write_statistics=False
            )
        except OSError as error:
            raise self._told(error) from None

    def append(self, columns: Mapping[str, Sequence[Any]]) -> None:
        """Write rows: a list for each column."""
        table = lists_of(self.table, {name: columns[name] for name in self.columns})
        try:
            self._writer.write_table(table)
        except OSError as error:
            raise self._told(error) from None

    def close(self) -> None:
        """Now the rows can be read."""
        try:
            self._writer.close()
        except OSError as error:
            raise self._told(error) from None

    def _told(self, error: OSError) -> StoreError:
        return StoreError(f"{self.path}: {os_reason(error)}")
