"""Questions of users in SQL: read-only, within the crawl folder."""

import math
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from functools import partial
from itertools import chain
from typing import Any

import duckdb
import pyarrow as pa

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.errors import NotFoundError, StoreError
from crawl_ops.storage.crawl_dir import CrawlDir
from crawl_ops.storage.interrupting import each_batch, interruptible
from crawl_ops.storage.session import Session
from crawl_ops.storage.telling import of_a_file, printable
from crawl_ops.storage.views import VIEWS, bind_views, views_sql

BATCH_ROWS = 1_000
_LONGEST_QUERY = 1_000_000
_OF_THE_QUERY = (
    duckdb.BinderException,
    duckdb.CatalogException,
    duckdb.ConversionException,
    duckdb.ParserException,
    duckdb.PermissionException,
)
_FIRST_WORD = re.compile(r"\s*EXPLAIN\b(\s+ANALYZE\b)?", re.IGNORECASE)
_NO_VIEW = re.compile(r"Table with name (\S+) does not exist")
_GONE = ("No files found", "No such file", "Cannot open file", "there is no", "is not kept")


def query(crawl: CrawlDir, config: CrawlConfig, sql: str) -> Iterator[dict[str, Any]]:
    """The rows of one SELECT (or EXPLAIN, DESCRIBE, SHOW …) over the views, as JSON can have them.

    Times are ISO 8601 (in UTC with Z), blobs hex, NaN and infinity None. Raises StoreError, one
    line, for what is no SELECT or fails, before the first row wherever that is possible.
    """
    session, names, batches = _started(crawl, config, sql)
    with session:
        try:
            for batch in batches:
                columns = [column.to_pylist(maps_as_pydicts="lossy") for column in batch.columns]
                for values in zip(*columns, strict=True):
                    yield dict(zip(names, map(plain, values), strict=True))
        except (duckdb.Error, pa.ArrowException, ValueError, OverflowError) as error:
            said = of_a_file(error) or _broken(session, error)
            raise StoreError(said or f"sql: {_line(error)}") from None


def views_script(crawl: CrawlDir, config: CrawlConfig) -> str:
    """views.sql: the views for any DuckDB shell."""
    with Session(crawl.files, config) as session:
        return views_sql(crawl, session)


def _started(
    crawl: CrawlDir, config: CrawlConfig, sql: str
) -> tuple[Session, list[str], Iterator[pa.RecordBatch]]:
    """A session that has begun to answer. Asks again if files went away while it began."""
    for last in (False, True):
        session = Session(crawl.files, config)
        bound = False
        try:
            statement = _checked(session.connection, sql)
            bind_views(crawl, session, only=_named(sql))
            bound = True
            _lock(session)
            reader = interruptible(session.connection, partial(_reader, session, statement))
            rest = each_batch(session.connection, reader)
            first = next(rest, None)
            names = _distinct(reader.schema.names)
            return session, names, chain([first] if first is not None else [], rest)
        except (duckdb.Error, pa.ArrowException, NotFoundError, ValueError) as error:
            session.close()
            if last or not any(word in str(error) for word in _GONE):
                said = of_a_file(error)
                said = said or (_broken(session, error) if bound else session.broken(error))
                raise StoreError(said or f"sql: {_line(error)}") from None
        except BaseException:
            session.close()
            raise
    raise AssertionError


def _broken(session: Session, error: Exception) -> str | None:
    """What is wrong with a data file, if an error is not one that only the query can have."""
    return None if isinstance(error, _OF_THE_QUERY) else session.broken(error)


def _reader(session: Session, statement: str) -> pa.RecordBatchReader:
    return session.connection.sql(statement).to_arrow_reader(BATCH_ROWS)


def _checked(connection: duckdb.DuckDBPyConnection, sql: str) -> str:
    """The one statement of a text that only reads. Raises StoreError for anything else."""
    if len(sql) > _LONGEST_QUERY:
        raise StoreError(f"sql: the query is longer than {_LONGEST_QUERY:,} characters")
    statements = connection.extract_statements(sql)
    if len(statements) != 1:
        kinds = {str(one.type).rpartition(".")[2] for one in statements}
        if kinds == {"CREATE", "SELECT"}:
            raise StoreError("sql: PIVOT needs its columns: PIVOT … ON column IN (…)")
        raise StoreError(f"sql: {len(statements)} statements; one is wanted")
    kind, text = statements[0].type, statements[0].query
    if kind == duckdb.StatementType.EXPLAIN:
        inner = _FIRST_WORD.sub("", text, count=1)
        if [one.type for one in connection.extract_statements(inner)] != [_SELECT]:
            raise StoreError("sql: only a SELECT can be explained")
    elif kind != _SELECT:
        name = str(kind).rpartition(".")[2]
        raise StoreError(f"sql: {name} is not allowed; the tables are read-only, ask with SELECT")
    return str(text)


_SELECT = duckdb.StatementType.SELECT


def _named(sql: str) -> tuple[str, ...]:
    """The views that a query may read; all if it puts names together itself."""
    text = sql.lower()
    if "query" in text:
        return VIEWS
    return tuple(name for name in VIEWS if name in text)


def _lock(session: Session) -> None:
    """From here on nothing outside the crawl folder can be read, and no setting changed."""
    folder = session.files.location("").rstrip("/") + "/"
    quoted = folder.replace("'", "''")
    for setting in (
        f"allowed_directories = ['{quoted}']",
        "enable_external_access = false",
        "python_enable_replacements = false",
        "lock_configuration = true",
    ):
        session.connection.execute(f"SET {setting}")


def _distinct(names: list[str]) -> list[str]:
    """Column names with a number where one is there twice."""
    taken: dict[str, None] = {}
    for name in names:
        new, number = name, 1
        while new in taken:
            new, number = f"{name}_{number}", number + 1
        taken[new] = None
    return list(taken)


def plain(value: Any) -> Any:
    """A value as JSON can have it."""
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, datetime):
        return _iso(value)
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    return _plain_other(value)


def _plain_other(value: Any) -> Any:
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, timedelta):
        return value.total_seconds()
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return str(value)


def _iso(moment: datetime) -> str:
    if moment.tzinfo is None:
        return moment.isoformat()
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")


def _line(error: Exception) -> str:
    if isinstance(error, duckdb.CatalogException) and (found := _NO_VIEW.search(str(error))):
        return f"there is no view {found[1]}; there are {', '.join(VIEWS)}"
    return printable(" ".join(str(error).split())[:500])
