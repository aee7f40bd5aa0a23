"""The DuckDB session of one job: declared tables under names, statements from sql/."""

import contextlib
import shutil
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any, Self

import duckdb
import pyarrow as pa

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.storage.files import SCRATCH, LocalFiles
from crawl_ops.storage.interrupting import each_batch, interruptible
from crawl_ops.storage.manifest import ROW_KINDS, SLOTS, Bucket, FileEntry, Manifest
from crawl_ops.storage.merged import Merged, literal, no_rows
from crawl_ops.storage.names import Names
from crawl_ops.storage.once import part_rows
from crawl_ops.storage.schema import check_stats, column_types, schemas, sql_text
from crawl_ops.storage.segment import Segment
from crawl_ops.storage.spool import Spool

ROW_GROUP_ROWS = 122_880
SPOOLED_ROWS = 20_480  # of a row group on disk: what is read in parts reads little else
BATCH_ROWS = 10_000
KEPT_MEMORY = "512MB"


class Session(Names):
    """A connection with bounded memory and a spill folder of its own.

    Statements are files of sql/, each one SELECT over names bound here, with $parameters.
    """

    def __init__(self, files: LocalFiles, config: CrawlConfig, threads: int | None = None) -> None:
        self._spill = files.root / SCRATCH / "spill" / uuid.uuid4().hex
        with contextlib.suppress(OSError):  # the engine makes the last folder only, when it spills
            self._spill.parent.mkdir(parents=True, exist_ok=True)
        super().__init__(
            duckdb.connect(
                config={
                    "autoinstall_known_extensions": "false",
                    "autoload_known_extensions": "false",
                }
            ),
            files,
        )
        limits = config.duckdb
        self._threads = min(limits.threads, threads or limits.threads)
        self._alone = False
        for name, value in (
            ("TimeZone", "UTC"),
            ("memory_limit", limits.memory_limit),
            ("threads", self._threads),
            ("temp_directory", str(self._spill)),
            ("max_temp_directory_size", limits.max_temp_directory_size),
            ("preserve_insertion_order", True),
            ("enable_progress_bar", False),
            # A job reads what it reads about once.
            ("enable_external_file_cache", False),
        ):
            self.connection.execute(f"SET {name} = {literal(value)}")

    # names

    def bind(self, name: str, table: str, files: Sequence[str]) -> None:
        """Let `name` stand for the rows of Parquet files, or for the empty declared table.

        Not for versioned tables, whose rows may be in several files: bind_table, bind_bucket.
        """
        self._view(name, self._rows_of(table, files))

    def bind_bucket(self, name: str, table: str, bucket: Bucket, keep: str = "") -> None:
        """Let `name` stand for the rows of one bucket of a versioned table, as they are now.

        keep: SQL over the columns, true for the rows that count.
        """
        self._view(name, Merged(table, self.files.location).select(bucket, keep=keep))

    def bind_placed(self, name: str, table: str, bucket: Bucket, keep: str = "") -> None:
        """`bind_bucket` with the column `row`: the place in the bucket's file, for an Overlay."""
        self._view(name, Merged(table, self.files.location).placed(bucket, keep))

    def bind_ordered(self, name: str, table: str, bucket: Bucket, *, hosts_apart: bool) -> None:
        """`bind_bucket` with the columns `row` and `tie` (Merged.ordered)."""
        rows = Merged(table, self.files.location).ordered(bucket, hosts_apart=hosts_apart)
        self._view(name, rows)

    def bind_table(self, name: str, manifest: Manifest, lo: int = 0, hi: int = SLOTS - 1) -> None:
        """Let `name` stand for all rows of a version of a table, or those of the slots lo to hi."""
        self.bind_bucket(name, manifest.table, manifest.bucket(lo, hi))

    def bind_part(
        self,
        segment: Segment,
        part: str,
        name: str | None = None,
        lists: Sequence[int] | None = None,
    ) -> None:
        """Let `name` (the part's own) stand for a part of a segment, each URL once."""
        self._view(name or part, self.part_rows(segment, part, lists))

    def part_rows(self, segment: Segment, part: str, lists: Sequence[int] | None = None) -> str:
        """The SELECT behind bind_part."""
        return part_rows(segment, part, lists, self._rows_of)

    def bind_select(self, name: str, select: str) -> None:
        """Let `name` stand for a SELECT that storage has put together."""
        self._view(name, select)

    def bind_query(self, name: str, query: str) -> None:
        """Let `name` stand for a SELECT in sql/ without $parameters, looked at when it is asked."""
        self._view(name, sql_text(query))

    def spool(self, table: str, columns: Sequence[str]) -> Spool:
        """A place on disk for rows of this session; gone when it ends."""
        return Spool(self._spill / f"{uuid.uuid4().hex}.parquet", table, columns)

    def bind_spool(self, name: str, spool: Spool) -> None:
        """Let `name` stand for spooled rows, numbered from 0 by the column `line`."""
        spool.close()
        columns = ", ".join((*spool.columns, "file_row_number AS line"))
        path = literal(str(spool.path))
        self._view(name, f"SELECT {columns} FROM read_parquet({path}, file_row_number = true)")

    def bind_spooled(self, name: str, queries: Iterable[tuple[str, Mapping[str, Any]]]) -> None:
        """Let `name` stand for what SELECTs in sql/ give, one after the other, kept on disk."""
        paths = []
        for query, parameters in queries:
            path = literal(str(self._spill / f"{uuid.uuid4().hex}.parquet"))
            self._spill.mkdir(parents=True, exist_ok=True)
            self._run(
                f"COPY ({sql_text(query)}) TO {path} (FORMAT parquet, COMPRESSION lz4_raw,"
                f" ROW_GROUP_SIZE {SPOOLED_ROWS}, WRITE_BLOOM_FILTER false)",
                parameters,
            )
            paths.append(path)
        self._view(name, f"SELECT * FROM read_parquet([{', '.join(paths)}])")

    def stored(self, table: str, bucket: Bucket, kinds: Iterable[str] = ROW_KINDS) -> int:
        """How many rows the files of a bucket hold."""
        return self.count(f"({Merged(table, self.files.location).stored(bucket, kinds)})")

    # answers

    def rows(self, query: str, **parameters: Any) -> list[dict[str, Any]]:
        """All rows of a SELECT in sql/."""
        return [row for batch in self.batches(query, **parameters) for row in batch]

    def columns(self, query: str, **parameters: Any) -> dict[str, list[Any]]:
        """All rows of a SELECT in sql/ as a list for each column."""
        table = self._arrow_table(sql_text(query), parameters)
        return {name: table.column(name).to_pylist() for name in table.column_names}

    def batches(
        self, query: str, batch_rows: int = BATCH_ROWS, **parameters: Any
    ) -> Iterator[list[dict[str, Any]]]:
        """The rows of a SELECT in sql/, some at a time; to be read before the next statement."""
        for batch in self.arrow(query, batch_rows, **parameters):
            yield batch.to_pylist()

    def arrow(
        self, query: str, batch_rows: int = BATCH_ROWS, **parameters: Any
    ) -> Iterator[pa.RecordBatch]:
        """The rows of a SELECT in sql/ as Arrow batches."""
        with self._told(query):
            reader = interruptible(
                self.connection,
                lambda: self.connection.sql(sql_text(query), params=parameters).to_arrow_reader(
                    batch_rows
                ),
            )
            yield from each_batch(self.connection, reader)

    def arrow_table(self, select: str) -> pa.Table:
        """All rows of a SELECT that storage has put together."""
        return self._arrow_table(select)

    def _arrow_table(self, select: str, parameters: Mapping[str, Any] | None = None) -> pa.Table:
        with self._told(select[:60], select):
            return interruptible(
                self.connection,
                lambda: self.connection.sql(select, params=parameters).to_arrow_table(),
            )

    @contextlib.contextmanager
    def one_thread(self) -> Iterator[None]:
        """Statements run on one thread meanwhile: two take a third more for what is small, and
        each holds wide rows that it writes.
        """
        if self._alone:
            yield
            return
        self.connection.execute("SET threads = 1")
        self._alone = True
        try:
            yield
        finally:
            self._alone = False
            self.connection.execute(f"SET threads = {int(self._threads)}")

    def keep_memory(self) -> None:
        """Let the engine use memory again that it has had, for many statements of one kind: else
        a tenth of their time goes into asking for it.
        """
        self.connection.execute(f"SET block_allocator_memory = '{KEPT_MEMORY}'")

    @contextlib.contextmanager
    def joins_as_written(self) -> Iterator[None]:
        """No join changes sides meanwhile: rows come out in the order of the left one."""
        self.connection.execute("SET disabled_optimizers = 'join_order,build_side_probe_side'")
        try:
            yield
        finally:
            self.connection.execute("SET disabled_optimizers = ''")

    # files

    def copy(self, query: str, table: str, path: str, **parameters: Any) -> tuple[int, int]:
        """Write a SELECT in sql/ as one Parquet file of a declared table; returns rows and bytes.

        The file has exactly the declared columns and types. Raises StoreError naming the column
        if one that must not be NULL is, and nothing can be seen then.
        """
        return self.copy_select(sql_text(query), table, path, parameters)

    def copy_select(
        self, select: str, table: str, path: str, parameters: Mapping[str, Any] | None = None
    ) -> tuple[int, int]:
        """`copy` for a SELECT that storage has put together."""
        types = column_types(table)
        columns = ", ".join(f"CAST({name} AS {kind}) AS {name}" for name, kind in types.items())
        aside = self.files.aside(".parquet")
        try:
            written = self._run(
                f"COPY (SELECT {columns} FROM ({select})) TO {literal(str(aside))}"
                f" (FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1,"
                # Rows are found by their order: bloom filters would only cost.
                f" ROW_GROUP_SIZE {ROW_GROUP_ROWS}, WRITE_BLOOM_FILTER false, RETURN_STATS)",
                parameters or {},
            ).fetchall()
            rows = sum(row[1] for row in written)
            check_stats(table, written)
            size = aside.stat().st_size
            self.files.publish(aside, path)
        finally:
            aside.unlink(missing_ok=True)
        return rows, size

    def copy_bucket(
        self, query: str, table: str, bucket: Bucket, path: str, **parameters: Any
    ) -> FileEntry | None:
        """Write the new rows of a bucket; None if it has none now."""
        return self.write(sql_text(query), table, bucket, path, "base", parameters)

    def write(
        self,
        select: str,
        table: str,
        bucket: Bucket,
        path: str,
        kind: str,
        parameters: Mapping[str, Any] | None = None,
    ) -> FileEntry | None:
        """`copy_bucket` for a SELECT that storage has put together."""
        rows, size = self.copy_select(select, table, path, parameters)
        if not rows:
            self.files.remove(path)
            return None
        return FileEntry(bucket.lo, bucket.hi, path, rows, size, kind)

    # inside

    def _rows_of(self, table: str, files: Sequence[str]) -> str:
        columns = ", ".join(schemas()[table].names)
        if files:
            paths = ", ".join(literal(self.files.location(path)) for path in files)
            return f"SELECT {columns} FROM read_parquet([{paths}])"
        return no_rows(table)

    def close(self) -> None:
        self.connection.close()
        shutil.rmtree(self._spill, ignore_errors=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
