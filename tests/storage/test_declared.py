"""Schemas are read from tables.sql without the engine: they must be what the engine makes of it."""

import duckdb
import pytest

from crawl_ops.storage.declared import declared
from crawl_ops.storage.schema import column_types, schemas, sql_text


@pytest.fixture(scope="module")
def engine():
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        connection.execute(sql_text("tables"))
        yield connection


def test_tables_and_columns_are_those_of_the_engine(engine):
    found = engine.execute(
        "SELECT table_name, column_name, is_nullable FROM duckdb_columns()"
        " WHERE NOT internal ORDER BY table_name, column_index"
    ).fetchall()
    mine = [(t, f.name, f.nullable) for t in sorted(schemas()) for f in schemas()[t]]
    assert mine == found


@pytest.mark.parametrize("table", sorted(schemas()))
def test_types_are_those_of_the_engine(engine, table):
    assert engine.table(table).to_arrow_table().schema.types == schemas()[table].types
    casts = ", ".join(f"CAST(NULL AS {kind})" for kind in column_types(table).values())
    assert engine.sql(f"SELECT {casts}").types == engine.table(table).types


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("CREATE VIEW a AS SELECT 1;", "no declaration of one more table"),
        ("CREATE TABLE a (\n b INTEGER\n);\nDROP TABLE a;", "DROP TABLE a"),
        ("CREATE TABLE a (\n b INTEGER\n);\nCREATE TABLE a (\n b BLOB\n);", "CREATE TABLE a"),
        ("CREATE TABLE a (\n b HUGEINT\n);", "a: no declaration of a column: 'b HUGEINT'"),
        ("CREATE TABLE a (\n b INTEGER DEFAULT 1\n);", "b INTEGER DEFAULT 1"),
        ("CREATE TABLE a (\n b VARCHAR CHECK (c IN ('x'))\n);", "CHECK"),
        ("CREATE TABLE a (\n b INTEGER,\n);", "a: no declaration of a column: 'b INTEGER,'"),
    ],
)
def test_anything_else_is_refused(text, said):
    with pytest.raises(ValueError, match="no declaration") as raised:
        declared(text)
    assert said in str(raised.value)


def test_comments_and_checks():
    (columns,) = declared(
        "-- a table\nCREATE TABLE a (  -- of two\n"
        "  b VARCHAR NOT NULL CHECK (b IN ('x', 'y')),  -- one, with a comma\n  c FLOAT\n);\n"
    ).values()
    assert [tuple(column) for column in columns] == [
        ("b", "VARCHAR", False),
        ("c", "FLOAT", True),
    ]
