"""Reading sql/tables.sql without an engine: its CREATE TABLE statements are all of one form.

    CREATE TABLE name (
        column TYPE [NOT NULL] [CHECK (column IN ('a', 'b'))],
        …
    );

A fetch is the better for it: the engine's library alone is 30 MB of memory.
"""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

import pyarrow as pa

# What the engine makes of its types; the zone of a time is part of Arrow's type.
ARROW_TYPES: Mapping[str, pa.DataType] = {
    "BIGINT": pa.int64(),
    "BLOB": pa.binary(),
    "BOOLEAN": pa.bool_(),
    "FLOAT": pa.float32(),
    "INTEGER": pa.int32(),
    "SMALLINT": pa.int16(),
    "TIMESTAMPTZ": pa.timestamp("us", tz="UTC"),
    "UBIGINT": pa.uint64(),
    "USMALLINT": pa.uint16(),
    "VARCHAR": pa.string(),
}
_COMMENT = re.compile(r"--[^\n]*")
_TABLE = re.compile(r"\s*CREATE TABLE (\w+) \(\s*(.*?)\s*\);\s*", re.DOTALL)
_COLUMN = re.compile(r"(\w+)\s+([A-Z]+)(\s+NOT NULL)?(?:\s+CHECK \(\1 IN \('\w+'(?:, '\w+')*\)\))?")
_BETWEEN = re.compile(r"\s*,\s*\n\s*")


class Column(NamedTuple):
    """A declared column: `kind` is its SQL type."""

    name: str
    kind: str
    nullable: bool

    @property
    def field(self) -> "pa.Field[Any]":
        """The column as Arrow has it."""
        return pa.field(self.name, ARROW_TYPES[self.kind], self.nullable)


def declared(text: str) -> dict[str, list[Column]]:
    """Table name -> columns. Raises ValueError for anything that is not of the form above."""
    text = _COMMENT.sub("", text)
    tables: dict[str, list[Column]] = {}
    end = 0
    while end < len(text):
        found = _TABLE.match(text, end)
        if found is None or found[1] in tables:
            raise ValueError(f"no declaration of one more table: {text[end : end + 80]!r}")
        tables[found[1]] = [_column(found[1], part) for part in _BETWEEN.split(found[2])]
        end = found.end()
    return tables


def _column(table: str, text: str) -> Column:
    found = _COLUMN.fullmatch(text)
    if found is None or found[2] not in ARROW_TYPES:
        raise ValueError(f"{table}: no declaration of a column: {text!r}")
    return Column(found[1], found[2], nullable=found[3] is None)
