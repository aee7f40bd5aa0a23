"""Rows of some hosts of a versioned table, read without the engine.

A fetch asks for few rows, and runs for hours: the engine would take 50 MB all that time.
"""

from bisect import bisect_left
from collections.abc import Collection, Iterator, Sequence

import pyarrow as pa
import pyarrow.parquet as pq

from crawl_ops.errors import StoreError
from crawl_ops.storage.files import LocalFiles
from crawl_ops.storage.manifest import Bucket, FileEntry
from crawl_ops.storage.schema import check_file
from crawl_ops.storage.telling import broken, missing

BATCH_ROWS = 1_024  # a robots.txt is up to half a megabyte
BUFFER_BYTES = 1 << 20


class HostRows:
    """Files of a table, asked for the rows of hosts."""

    def __init__(self, files: LocalFiles, table: str, hosts: Collection[str]) -> None:
        self._files = files
        self._table = table
        self._sorted = sorted(hosts)
        self._hosts = pa.array(self._sorted, pa.string())

    def stored(self, bucket: Bucket, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """Columns of the rows as they were written: what changed since is in `changed`."""
        for entry in bucket.files:
            if entry.holds_rows:
                yield from self._of(entry, columns)

    def changed(self, bucket: Bucket, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """Columns of the rows that replace others of their key: of several the last one counts."""
        entries = [entry for entry in bucket.files if entry.kind == "changed"]
        for entry in sorted(entries, key=lambda entry: entry.version):
            yield from self._of(entry, columns)

    def _of(self, entry: FileEntry, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
        location = self._files.location(entry.path)
        try:
            with pq.ParquetFile(location, buffer_size=BUFFER_BYTES, pre_buffer=False) as parquet:
                check_file(self._table, location, parquet.schema_arrow)
                yield from self._batches(parquet, columns)
        except FileNotFoundError:
            raise StoreError(missing(location)) from None
        except (OSError, pa.ArrowException, UnicodeError) as error:
            raise StoreError(broken(location, error)) from None

    def _batches(self, parquet: pq.ParquetFile, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
        # Here: it takes 7 MB, and a fetch without redirects does not need it.
        import pyarrow.compute as pc

        at = parquet.schema_arrow.get_field_index("host")
        for number in range(parquet.num_row_groups):
            if not self._may_be_in(parquet.metadata.row_group(number).column(at).statistics):
                continue
            hosts = parquet.read_row_group(number, ["host"]).column("host")
            if not pc.any(pc.is_in(hosts, value_set=self._hosts)).as_py():
                continue
            for batch in parquet.iter_batches(
                BATCH_ROWS, row_groups=[number], columns=["host", *columns], use_threads=False
            ):
                found = batch.filter(pc.is_in(batch.column("host"), value_set=self._hosts))
                if found.num_rows:
                    yield found

    def _may_be_in(self, statistics: pq.Statistics | None) -> bool:
        if statistics is None or not statistics.has_min_max:
            return True
        # Bounds may be cut: the lower one is then less than the least value, the upper one more.
        at = bisect_left(self._sorted, str(statistics.min))
        return at < len(self._sorted) and self._sorted[at] <= str(statistics.max)
