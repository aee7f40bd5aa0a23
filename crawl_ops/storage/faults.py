"""Which data file is broken, looked for when the engine or pyarrow has failed and does not say."""

import contextlib
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from crawl_ops.errors import CrawlError, StoreError
from crawl_ops.storage.files import SCRATCH, LocalFiles
from crawl_ops.storage.merged import MOVED
from crawl_ops.storage.schema import check_file, schemas
from crawl_ops.storage.table import VersionedTable
from crawl_ops.storage.telling import broken, missing

MOST_READ_BYTES = 4 << 30
"""Files are read through only if they are not more than this together."""
_QUOTED = re.compile(r"'((?:[^']|'')+\.parquet)'")
TABLES = ("crawldb", "linkdb", "hostdb")


def of_statements(error: Exception, files: LocalFiles, statements: Iterable[str]) -> str | None:
    """What is wrong with a data file that SQL names, if that may be why it failed."""
    import duckdb  # here: a fetch asks for the rest of this module, and needs no engine

    if isinstance(error, duckdb.InterruptException | MemoryError):
        return None
    root = files.location("").rstrip("/") + "/"
    named = (found.replace("''", "'") for sql in statements for found in _QUOTED.findall(sql))
    paths = [
        path.removeprefix(root)
        for path in dict.fromkeys(named)
        if path.startswith(root) and not path.startswith(root + SCRATCH)
    ]
    rows = _rows_told(files, {path.partition("/")[0] for path in paths})
    for path in paths:
        if said := footer_fault(files.location(path), _table_of(path), rows.get(path)):
            return said
    of_the_statement = (duckdb.BinderException, duckdb.CatalogException, duckdb.ParserException)
    if isinstance(error, (*of_the_statement, duckdb.OutOfMemoryException)):
        return None
    if sum(Path(files.location(path)).stat().st_size for path in paths) > MOST_READ_BYTES:
        return None
    return next(filter(None, (_engine_fault(files.location(path)) for path in paths)), None)


@contextlib.contextmanager
def reading(location: str, table: str) -> Iterator[None]:
    """Failures that come of a data file that cannot be read as StoreError naming it."""
    try:
        yield
    except CrawlError:
        raise
    except Exception as error:
        if said := footer_fault(location, table) or _pages_fault(location):
            raise StoreError(said) from error
        raise


def footer_fault(location: str, table: str | None, rows: int | None = None) -> str | None:
    """What is wrong with a file by its footer: columns, types, and how many rows it has."""
    try:
        with pq.ParquetFile(location) as parquet:
            found = parquet.metadata.num_rows
            in_groups = [
                parquet.metadata.row_group(n).num_rows for n in range(parquet.num_row_groups)
            ]
            if table is not None:
                check_file(table, location, parquet.schema_arrow)
    except FileNotFoundError:
        return missing(location)
    except Exception as error:  # noqa: BLE001  (what a broken footer leads to is not known)
        return broken(location, error)
    if sum(in_groups) != found or rows not in (None, found):
        return broken(location, f"it has {sum(in_groups)} rows, not {rows or found}")
    return None


def _pages_fault(location: str) -> str | None:
    try:
        with pq.ParquetFile(location) as parquet:
            for _ in parquet.iter_batches(use_threads=False):
                pass
    except Exception as error:  # noqa: BLE001  (as above)
        return broken(location, error)
    return None


def _engine_fault(location: str) -> str | None:
    import duckdb

    try:
        with duckdb.connect(config={"threads": 1}) as connection:
            for _ in connection.read_parquet(location).to_arrow_reader(10_000):
                pass
    except (duckdb.Error, pa.ArrowException, ValueError, RuntimeError) as error:
        return broken(location, error)
    return None


def _table_of(path: str) -> str | None:
    """The declared table of a data file, by its place in the crawl folder."""
    parts = path.split("/")
    if parts[0] in TABLES:
        return MOVED if parts[1] == "moved" else parts[0]
    part = parts[2] if parts[0] == "segments" and len(parts) > 2 else ""
    return part if part in schemas() else None


def _rows_told(files: LocalFiles, tables: set[str]) -> dict[str, int]:
    """Rows of data files, as the manifests say."""
    told: dict[str, int] = {}
    for name in tables.intersection(TABLES):
        table = VersionedTable(files, name)
        with contextlib.suppress(StoreError):
            for version in table.versions():
                told.update((entry.path, entry.rows) for entry in table.version(version).files)
    return told
