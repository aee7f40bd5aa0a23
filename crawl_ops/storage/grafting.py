"""A Parquet file made of columns of several: what does not change is copied as it is stored.

A column of a row group is a run of bytes that hangs on nothing else in the file; the footer says
where it lies (https://parquet.apache.org/docs/file-format/).
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from crawl_ops.errors import StoreError
from crawl_ops.storage.thrift import (
    BINARY,
    I16,
    I32,
    I64,
    LIST,
    STRUCT,
    List,
    Reader,
    Struct,
    written,
)

MAGIC = b"PAR1"
_MOST_FOOTER = 64 << 20
_BLOCK_BYTES = 1 << 20

# Fields of FileMetaData, SchemaElement, RowGroup, ColumnChunk and ColumnMetaData (parquet.thrift).
_SCHEMA, _ROWS, _GROUPS, _CREATED_BY, _ORDERS = 2, 3, 4, 6, 7
_NAME, _CHILDREN = 4, 5
_COLUMNS, _BYTES, _GROUP_ROWS, _OFFSET, _PACKED, _ORDINAL = 1, 2, 3, 5, 6, 7
_CHUNK_FILE, _CHUNK_OFFSET, _CHUNK = 1, 2, 3
_UNPACKED_SIZE, _PACKED_SIZE, _PAGES, _DICTIONARY, _BLOOM, _BLOOM_SIZE = 6, 7, 9, 11, 14, 15


@dataclass(frozen=True, slots=True)
class Footer:
    """The footer of a Parquet file without nested columns."""

    fields: Struct

    @classmethod
    def of(cls, path: Path) -> "Footer":
        """The footer of a file. Raises StoreError naming the file if it has none."""
        try:
            with path.open("rb") as file:
                file.seek(-8, os.SEEK_END)
                tail = file.read(8)
                size = int.from_bytes(tail[:4], "little")
                if tail[4:] != MAGIC or size > _MOST_FOOTER:
                    raise ValueError("no Parquet file")
                file.seek(-8 - size, os.SEEK_END)
                return cls(Reader(file.read(size)).struct())
        except (OSError, ValueError, IndexError) as error:
            raise StoreError(f"{path}: this data file is broken ({error})") from error

    @property
    def schema(self) -> list[Struct]:
        """The elements of the columns; that of the whole is left out."""
        return list(self.fields[_SCHEMA][1][1][1:])

    @property
    def names(self) -> list[str]:
        return [element[_NAME][1].decode() for element in self.schema]

    @property
    def groups(self) -> list[Struct]:
        return list(self.fields[_GROUPS][1][1])

    @property
    def group_rows(self) -> list[int]:
        """Rows of each row group."""
        return [group[_GROUP_ROWS][1] for group in self.groups]

    @property
    def flat(self) -> bool:
        """Whether each column is one of the whole, and lies in this file."""
        alone = all(_CHILDREN not in element for element in self.schema)
        return alone and not any(
            _CHUNK_FILE in chunk for group in self.groups for chunk in group[_COLUMNS][1][1]
        )


def graft(target: Path, columns: Sequence[str], sources: Sequence[Path]) -> None:
    """Write a file of these columns, each from the first of the files that has it.

    The sources have the same rows in the same row groups. Raises StoreError if they do not.
    """
    footers = [Footer.of(path) for path in sources]
    if any(not f.flat or f.group_rows != footers[0].group_rows for f in footers):
        raise StoreError(f"{target}: columns of different row groups cannot lie in one file")
    picked = [
        next((n, f.names.index(name)) for n, f in enumerate(footers) if name in f.names)
        for name in columns
    ]
    with target.open("xb") as out:
        out.write(MAGIC)
        groups = [
            _group(out, number, list(rows), picked, sources)
            for number, rows in enumerate(zip(*(f.groups for f in footers), strict=True))
        ]
        footer = written(_footer(footers, picked, groups))
        out.write(footer + len(footer).to_bytes(4, "little") + MAGIC)


def _group(
    out: BinaryIO,
    number: int,
    groups: Sequence[Struct],
    picked: Sequence[tuple[int, int]],
    sources: Sequence[Path],
) -> Struct:
    first = out.tell()
    chunks = []
    for source, column in picked:
        chunk = groups[source][_COLUMNS][1][1][column]
        chunks.append(_chunk(out, chunk[_CHUNK][1], sources[source]))
    bare = [chunk[_CHUNK][1] for chunk in chunks]
    return {
        _COLUMNS: (LIST, (STRUCT, chunks)),
        _BYTES: (I64, sum(chunk[_UNPACKED_SIZE][1] for chunk in bare)),
        _GROUP_ROWS: groups[0][_GROUP_ROWS],
        _OFFSET: (I64, first),
        _PACKED: (I64, sum(chunk[_PACKED_SIZE][1] for chunk in bare)),
        _ORDINAL: (I16, number),
    }


def _chunk(out: BinaryIO, about: Struct, source: Path) -> Struct:
    """Copy a column of a row group; its entry in the footer as it is now."""
    offsets = [about[field][1] for field in (_DICTIONARY, _PAGES) if field in about]
    start = min(offset for offset in offsets if offset > 0)
    moved = out.tell() - start
    _copy(out, source, start, about[_PACKED_SIZE][1])
    # Its bloom filter, which stands elsewhere, stays behind; index pages are written by no one.
    left = (_BLOOM, _BLOOM_SIZE)
    fields = {number: field for number, field in about.items() if number not in left}
    for field in (_DICTIONARY, _PAGES):
        if field in fields and fields[field][1] > 0:
            fields[field] = (I64, fields[field][1] + moved)
    return {_CHUNK_OFFSET: (I64, start + moved), _CHUNK: (STRUCT, fields)}


def _copy(out: BinaryIO, source: Path, start: int, size: int) -> None:
    with source.open("rb") as file:
        file.seek(start)
        while size:
            block = file.read(min(size, _BLOCK_BYTES))
            if not block:
                raise StoreError(f"{source}: this data file is broken (cut short)")
            out.write(block)
            size -= len(block)


def _footer(
    footers: Sequence[Footer], picked: Sequence[tuple[int, int]], groups: list[Struct]
) -> Struct:
    whole: Struct = {_NAME: (BINARY, b"schema"), _CHILDREN: (I32, len(picked))}
    schema: List = (STRUCT, [whole, *(footers[n].schema[column] for n, column in picked)])
    first = footers[0].fields
    by_type: Struct = {1: (STRUCT, {})}
    return {
        1: first[1],
        _SCHEMA: (LIST, schema),
        _ROWS: first[_ROWS],
        _GROUPS: (LIST, (STRUCT, groups)),
        **({_CREATED_BY: first[_CREATED_BY]} if _CREATED_BY in first else {}),
        _ORDERS: (LIST, (STRUCT, [by_type for _ in picked])),
    }
