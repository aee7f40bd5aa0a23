"""The declared tables: sql/tables.sql as Arrow schemas."""

import functools
import importlib.resources
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import pyarrow as pa

from crawl_ops.errors import StoreError
from crawl_ops.storage.declared import Column, declared


@functools.cache
def sql_text(name: str) -> str:
    """The text of sql/<name>.sql."""
    return (importlib.resources.files("crawl_ops") / "sql" / f"{name}.sql").read_text("utf-8")


@functools.cache
def schemas() -> Mapping[str, pa.Schema]:
    """Table name -> Arrow schema with the declared types and nullability."""
    return {
        name: pa.schema([column.field for column in columns])
        for name, columns in _declared().items()
    }


@functools.cache
def column_types(table: str) -> Mapping[str, str]:
    """Column -> SQL type, in declared order."""
    return {column.name: column.kind for column in _declared()[table]}


@functools.cache
def _declared() -> Mapping[str, list[Column]]:
    return declared(sql_text("tables"))


def table_of(name: str, rows: Sequence[Mapping[str, Any]]) -> pa.Table:
    """Rows as an Arrow table of the declared schema; missing columns are NULL.

    Raises StoreError naming table and column when a value has the wrong type or must not be NULL.
    """
    columns = {field.name: [row.get(field.name) for row in rows] for field in schemas()[name]}
    return table_by_column(name, columns)


def table_by_column(name: str, columns: Mapping[str, Any]) -> pa.Table:
    """Columns, lists or Arrow's, as an Arrow table of the declared schema; missing ones are NULL.

    A string or time stands for a column of it, but for the first.
    Raises StoreError naming table and column when a value has the wrong type or must not be NULL.
    """
    schema = schemas()[name]
    number = len(next(iter(columns.values())))
    arrays = []
    for field in schema:
        values = columns.get(field.name)
        try:
            if values is None:
                values = pa.nulls(number, field.type)
            elif isinstance(values, (str, datetime)):
                values = pa.repeat(pa.scalar(values, field.type), number)
            elif not isinstance(values, pa.Array):
                values = pa.array(values, type=field.type)
        except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError) as error:
            raise StoreError(f"{name}.{field.name}: {error}") from error
        arrays.append(values)
    table = pa.Table.from_arrays(arrays, schema=schema)
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
    """Raises StoreError if a column that must not be NULL is; not all columns need be there."""
    for field in map(schemas()[name].field, table.column_names):
        if not field.nullable and table.column(field.name).null_count:
            raise StoreError(f"{name}.{field.name}: NULL in a column that must not be")


def check_stats(table: str, written: Sequence[tuple[Any, ...]]) -> None:
    """`check_nulls` by what the engine says of the Parquet files that it has written."""
    must = {field.name for field in schemas()[table] if not field.nullable}
    for row in written:
        for column, stats in (row[4] or {}).items():
            name = column.strip('"')
            if name in must and int(stats.get("null_count", 0) or 0):
                raise StoreError(f"{table}.{name}: NULL in a column that must not be")


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
