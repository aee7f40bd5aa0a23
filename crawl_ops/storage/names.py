"""Names in a connection: temporary tables and views for the statements of sql/."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any

import duckdb
import pyarrow as pa

from crawl_ops.errors import StoreError
from crawl_ops.storage.faults import of_statements
from crawl_ops.storage.files import LocalFiles
from crawl_ops.storage.interrupting import interruptible
from crawl_ops.storage.schema import columns_of, sql_text, table_of
from crawl_ops.storage.telling import told


class Names:
    """What names stand for in a connection. The base of Session."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, files: LocalFiles) -> None:
        self.connection = connection
        self.files = files
        self.selects: dict[str, str] = {}  # that views stand for, also where their rows are read
        self._number = 0
        self._kinds: dict[str, str] = {}  # name -> TABLE or VIEW

    def bind_rows(self, name: str, table: str, rows: Sequence[Mapping[str, Any]]) -> None:
        """Let `name` stand for rows given by Python, with the columns of a declared table."""
        self.bind_arrow(name, table_of(table, rows))

    def bind_arrow(self, name: str, table: pa.Table) -> None:
        """Copy an Arrow table into a temporary table."""
        self._number += 1
        self.connection.register(f"arrow_{self._number}", table)
        self.drop(name)
        self.connection.execute(f"CREATE TEMP TABLE {name_of(name)} AS FROM arrow_{self._number}")
        self._kinds[name] = "TABLE"
        self.connection.unregister(f"arrow_{self._number}")

    def bind_columns(self, name: str, **columns: Sequence[Any]) -> None:
        """Let `name` stand for columns given by Python."""
        self.bind_arrow(name, pa.table({key: pa.array(list(c)) for key, c in columns.items()}))

    def append_rows(self, name: str, table: str, rows: Sequence[Mapping[str, Any]]) -> None:
        """Add rows given by Python to a temporary table, which is made if it is not there."""
        self._append_arrow(name, table_of(table, rows))

    def append_columns(
        self, name: str, table: str, columns: Sequence[str], rows: Sequence[tuple[Any, ...]]
    ) -> None:
        """`append_rows` for tuples, with some columns of a declared table only."""
        self._append_arrow(name, columns_of(table, columns, rows))

    def _append_arrow(self, name: str, arrow: pa.Table) -> None:
        if self._kinds.get(name) != "TABLE":
            self.bind_arrow(name, arrow)
            return
        self.connection.register("arrow_more", arrow)
        self.connection.execute(f"INSERT INTO {name_of(name)} FROM arrow_more")
        self.connection.unregister("arrow_more")

    def append(self, name: str, query: str, **parameters: Any) -> None:
        """Add the rows of a SELECT in sql/ to a temporary table, which may not be there yet."""
        if self._kinds.get(name) != "TABLE":
            self.create(name, query, **parameters)
            return
        self._run(f"INSERT INTO {name_of(name)} {sql_text(query)}", parameters)

    def define(self, name: str) -> None:
        """Run the macros of sql/<name>.sql (schedule/…, scoring/…, places/…)."""
        self._run(sql_text(name), {})

    def create(self, name: str, query: str, **parameters: Any) -> int:
        """Make a temporary table of a SELECT in sql/; returns its row count."""
        self.drop(name)
        self._run(f"CREATE TEMP TABLE {name_of(name)} AS {sql_text(query)}", parameters)
        self._kinds[name] = "TABLE"
        return self.count(name_of(name))

    def count(self, name: str) -> int:
        """The rows of a name, or of a SELECT in parentheses that storage has put together."""
        with self._told("count", name):
            return int(self.connection.execute(f"SELECT count(*) FROM {name}").fetchall()[0][0])

    def rename(self, name: str, new: str) -> None:
        """Give a temporary table the name of another one, which goes."""
        self.drop(new)
        self.connection.execute(f"ALTER TABLE {name_of(name)} RENAME TO {name_of(new)}")
        self._kinds[new] = self._kinds.pop(name)

    def has(self, name: str) -> bool:
        """Whether a name stands for something."""
        return name in self._kinds

    def drop(self, name: str) -> None:
        """Forget what a name stands for."""
        if kind := self._kinds.pop(name, None):
            self.connection.execute(f"DROP {kind} {name_of(name)}")
            self.selects.pop(name, None)

    def _view(self, name: str, select: str) -> None:
        self.drop(name)
        self.selects[name] = select
        with self._told(name):
            self.connection.execute(f"CREATE TEMP VIEW {name_of(name)} AS {select}")
        self._kinds[name] = "VIEW"

    def broken(self, error: Exception, statement: str = "") -> str | None:
        """What is wrong with a data file that is read here, if that may be why a call failed."""
        return of_statements(error, self.files, (*self.selects.values(), statement))

    def _told(self, what: str, statement: str = "") -> AbstractContextManager[None]:
        return told(what, lambda error: self.broken(error, statement))

    def _run(self, statement: str, parameters: Mapping[str, Any]) -> duckdb.DuckDBPyConnection:
        with self._told(statement[:60], statement):
            return interruptible(
                self.connection,
                lambda: self.connection.execute(statement, dict(parameters) or None),
            )


def name_of(text: str) -> str:
    """A name as SQL. Raises StoreError if it is none."""
    if not text.isidentifier():
        raise StoreError(f"{text!r} is no name")
    return text
