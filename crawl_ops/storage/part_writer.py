"""A part file on its way: written aside table by table, there when it has its name."""

import contextlib
from collections.abc import Iterator
from typing import Any, Self

import pyarrow as pa
import pyarrow.parquet as pq

from crawl_ops.errors import StoreError
from crawl_ops.storage.files import LocalFiles
from crawl_ops.storage.link_batches import LINKS_OF_GROUP
from crawl_ops.storage.schema import check_file, check_nulls, schemas
from crawl_ops.storage.telling import is_full

_CONTENT_GROUP_BYTES = 16 << 20
_DECAY_MS = 100  # memory that is not used is given back; at once would cost page faults
with contextlib.suppress(NotImplementedError):  # a build of Arrow without it
    pa.set_memory_pool(pa.jemalloc_memory_pool())  # mimalloc keeps 40 MB more of a fetch
    pa.jemalloc_set_decay_ms(_DECAY_MS)


class PartWriter:
    """Writes Arrow tables of a part's schema as one Parquet file, one or more row groups each.

    Raises StoreError naming the file when a disk is full or a table is not of the schema.
    """

    def __init__(self, files: LocalFiles, part: str, path: str) -> None:
        self._files = files
        self._part = part
        self._path = path
        self._aside = files.aside(".parquet")
        with self._told():
            self._writer = pq.ParquetWriter(self._aside, schemas()[part], **_options(part))

    def write(self, table: pa.Table) -> None:
        """Write a table; the file may not be seen yet."""
        check_file(self._part, self._path, table.schema)
        check_nulls(self._part, table)
        with self._told():
            self._writer.write_table(table, row_group_size=_group_rows(self._part, table))

    def publish(self) -> str:
        """Give the file its name, which is returned."""
        with self._told():
            self._writer.close()
            self._files.publish(self._aside, self._path)
        return self._path

    def discard(self) -> None:
        """Leave nothing of a file that was not published."""
        with contextlib.suppress(OSError):
            self._writer.close()
        self._aside.unlink(missing_ok=True)

    @contextlib.contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            self._aside.unlink(missing_ok=True)
            said = "the disk is full" if is_full(error) else error.strerror or error
            raise StoreError(f"{self._files.location(self._path)}: {said}") from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.discard()


def _options(part: str) -> dict[str, Any]:
    options: dict[str, Any] = {"compression": "zstd", "compression_level": 1}
    if part == "content":
        # Level 3 would take twice as long for a seventh less.
        names = [
            field.name for field in schemas()[part] if field.name not in ("content", "headers")
        ]
        return options | {
            "write_statistics": names,
            "use_dictionary": [name for name in names if name not in ("k", "url")],
        }
    if part == "parse_text":
        # No text is there twice, or asked for by its beginning.
        names = [field.name for field in schemas()[part] if field.name != "text"]
        return options | {"write_statistics": names, "use_dictionary": ["slot", "attempt"]}
    return options


def _group_rows(part: str, table: pa.Table) -> int:
    if part == "content":
        average = max(1, table.get_total_buffer_size() // max(1, table.num_rows))
        return max(16, _CONTENT_GROUP_BYTES // average)
    return LINKS_OF_GROUP if part == "crawl_parse" else 122_880
