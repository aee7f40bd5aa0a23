"""The declared tables: sql/tables.sql as Arrow schemas."""

import functools
import importlib.resources
from collections.abc import Mapping, Sequence
from typing import Any

import duckdb
import pyarrow as pa

from crawl_ops.errors import StoreError
from crawl_ops.storage.interrupting import interruptible


@functools.cache
def sql_text(name: str) -> str:
    """The text of sql/<name>.sql."""
    return (importlib.resources.files("crawl_ops") / "sql" / f"{name}.sql").read_text("utf-8")


@functools.cache
def schemas() -> Mapping[str, pa.Schema]:
    """Table name -> Arrow schema with the declared types and nullability."""
    return {name: schema for name, (schema, _) in _declared().items()}


def column_types(table: str) -> Mapping[str, str]:
    """Column -> SQL type, in declared order."""
    return _declared()[table][1]


@functools.cache
def _declared() -> Mapping[str, tuple[pa.Schema, Mapping[str, str]]]:
    """Table name -> Arrow schema, SQL types. The zone is fixed: it is part of Arrow's type."""
    with duckdb.connect() as connection:
        # In a thread, as all statements: on the main one a Ctrl-C becomes a RuntimeError.
        return interruptible(connection, functools.partial(_asked, connection))


def _asked(connection: duckdb.DuckDBPyConnection) -> Mapping[str, tuple[pa.Schema, dict[str, str]]]:
    connection.execute("SET TimeZone = 'UTC'")
    connection.execute(sql_text("tables"))
    columns = connection.execute(
        "SELECT table_name, column_name, data_type, is_nullable FROM duckdb_columns()"
        " WHERE NOT internal ORDER BY table_name, column_index"
    ).fetchall()
    types: dict[str, dict[str, str]] = {}
    nullable: dict[str, dict[str, bool]] = {}
    for table, column, kind, may_be_null in columns:
        types.setdefault(table, {})[column] = kind
        nullable.setdefault(table, {})[column] = may_be_null
    return {table: (_schema(connection, table, nullable[table]), types[table]) for table in types}


def _schema(
    connection: duckdb.DuckDBPyConnection, table: str, nullable: Mapping[str, bool]
) -> pa.Schema:
    arrow = connection.table(table).to_arrow_table().schema
    return pa.schema([field.with_nullable(nullable[field.name]) for field in arrow])


def table_of(name: str, rows: Sequence[Mapping[str, Any]]) -> pa.Table:
    """Rows as an Arrow table of the declared schema; missing columns are NULL.

    Raises StoreError naming table and column when a value has the wrong type or must not be NULL.
    """
    schema = schemas()[name]
    columns = []
    for field in schema:
        try:
            column = pa.array([row.get(field.name) for row in rows], type=field.type)
        except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError) as error:
            raise StoreError(f"{name}.{field.name}: {error}") from error
        columns.append(column)
    table = pa.Table.from_arrays(columns, schema=schema)
    check_nulls(name, table)
    return table


def columns_of(name: str, columns: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> pa.Table:
    """Tuples as an Arrow table with some columns of a declared schema.

    Raises StoreError naming table and column when a value has the wrong type.
    """
    values: Sequence[Sequence[Any]] = list(zip(*rows, strict=True)) or [()] * len(columns)
    return lists_of(name, dict(zip(columns, values, strict=True)))


def lists_of(name: str, columns: Mapping[str, Sequence[Any]]) -> pa.Table:
    """`columns_of` for values that stand in a list a column."""
    fields = [schemas()[name].field(column) for column in columns]
    arrays = []
    for field, column in zip(fields, columns.values(), strict=True):
        try:
            arrays.append(pa.array(column, type=field.type))
        except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError) as error:
            raise StoreError(f"{name}.{field.name}: {error}") from error
    return pa.Table.from_arrays(arrays, schema=pa.schema(fields))


def check_nulls(name: str, table: pa.Table) -> None:
    """Raises StoreError if a column that must not be NULL is."""
    for field in schemas()[name]:
        if not field.nullable and table.column(field.name).null_count:
            raise StoreError(f"{name}.{field.name}: NULL in a column that must not be")


def check_file(name: str, path: str, found: pa.Schema) -> None:
    """Raises StoreError naming the file if its columns are not those declared for the table."""
    wanted = schemas()[name]
    if [(f.name, f.type) for f in found] == [(f.name, f.type) for f in wanted]:
        return
    have = {f.name: f.type for f in found}
    for field in wanted:
        if have.get(field.name) != field.type:
            was = have.get(field.name, "missing")
            raise StoreError(f"{path}: column {field.name} of {name} is {was}, not {field.type}")
    extra = sorted(have.keys() - {f.name for f in wanted})
    raise StoreError(f"{path}: columns of {name} are out of order or too many ({', '.join(extra)})")
