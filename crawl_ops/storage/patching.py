"""A data file with some of its rows changed, in the places they have.

What a row is about (its URL, above all: most of the bytes) is copied as it is stored; only the
other columns are read, changed and written.
"""

import bisect
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from crawl_ops.storage.grafting import Footer, graft
from crawl_ops.storage.merged import FIXED, MOVED_COLUMNS, ROW, Overlay, with_places
from crawl_ops.storage.schema import check_nulls, schemas

_VARIED = ("score", "signature")  # hardly a value twice: no dictionary
# A few words again and again: read, changed and written as numbers of words.
_WORDS = ["status", "protocol_status", "reason", "content_type", "segment"]
Changes = pa.Table  # columns of a table, and `row`: the place in the file, from 0, sorted


def state_columns(table: str) -> list[str]:
    """The columns that an overlay may change."""
    return [name for name in schemas()[table].names if name not in FIXED]


def may_be_patched(table: str, path: Path) -> bool:
    """Whether a data file has the declared columns, each in one piece a row group."""
    footer = Footer.of(path)
    return footer.flat and footer.names == schemas()[table].names


def changes_of(
    table: str, path: str, overlay: Overlay, rows_of: Callable[[str], pa.Table]
) -> list[Changes]:
    """What an overlay changes of a file: those that come later count. rows_of: runs a SELECT."""
    selects = []
    if name := overlay.moved:
        placed = name if overlay.placed else None
        selects.append(with_places(table, path, name, MOVED_COLUMNS, placed))
    if name := overlay.changed:
        selects.append(with_places(table, path, name, state_columns(table), overlay.places))
    return [rows_of(select) for select in selects]


def patch(table: str, source: Path, target: Path, aside: Path, changes: list[Changes]) -> int:
    """Write the file with changes as `target`; returns its rows. aside: a name to write to.

    Raises StoreError naming the column if one that must not be NULL is then.
    """
    state = state_columns(table)
    words = [name for name in state if name in _WORDS]
    with pq.ParquetFile(source, read_dictionary=words) as file:
        # At least one, so that there is a file to take it from.
        names = [name for name in state if _changes(file, name, changes)] or state[:1]
        rows = _patch(table, file, names, aside, changes)
    graft(target, schemas()[table].names, [aside, source])
    return rows


def _patch(
    table: str, file: pq.ParquetFile, names: list[str], aside: Path, changes: list[Changes]
) -> int:
    """Write columns of a file with changes; returns the rows."""
    schema = pa.schema([_field(table, name) for name in names])
    rows = 0
    with pq.ParquetWriter(aside, schema, **_writing(names)) as writer:
        for number in range(file.num_row_groups):
            old = file.read_row_group(number, names, use_threads=False)
            new = _patched(table, old, [_between(c, rows, rows + len(old)) for c in changes], rows)
            writer.write_table(new, row_group_size=max(1, len(new)))
            rows += len(old)
    return rows


def _changes(file: pq.ParquetFile, name: str, changes: list[Changes]) -> bool:
    """Whether a column may be another one then. What is one value, and stays it, is not."""
    column = file.schema_arrow.get_field_index(name)
    found = {_only(file.metadata.row_group(n).column(column)) for n in range(file.num_row_groups)}
    for change in changes:
        if name in change.column_names and len(change):
            values = change.column(name)
            bounds: Any = pc.min_max(values).as_py()
            one = bounds["min"] == bounds["max"] and values.null_count in (0, len(values))
            found.add((bounds["min"],) if one else None)
    return len(found) > 1 or None in found


def _only(chunk: "pq.ColumnChunkMetaData") -> tuple[int | None] | None:
    """The one whole number, or NULL, that a column of a row group is; None if it is not so."""
    told: Any = chunk.statistics
    if told is None or not told.has_null_count:
        return None
    if told.null_count == chunk.num_values:
        return (None,)
    one = told.has_min_max and isinstance(told.min, int) and told.min == told.max
    return (told.min,) if one and not told.null_count else None


def _writing(names: Sequence[str]) -> dict[str, Any]:
    return {
        "compression": "zstd",
        "compression_level": 1,
        "use_dictionary": [name for name in names if name not in _VARIED],
        "store_schema": False,
        # Bounds of words and signatures help no one to pass over rows, and cost a fifth of it all.
        "write_statistics": [name for name in names if name not in [*_WORDS, "signature"]],
    }


def _field(table: str, name: str) -> "pa.Field[Any]":
    """A column as it is held here."""
    field = schemas()[table].field(name)
    if name in _WORDS:
        return field.with_type(pa.dictionary(pa.int32(), field.type))
    return field


def _between(changes: Changes, start: int, end: int) -> Changes:
    places: Any = changes.column(ROW)
    first, last = (
        bisect.bisect_left(range(len(changes)), row, key=lambda at: places[at].as_py())
        for row in (start, end)
    )
    return changes.slice(first, last - first)


def _patched(table: str, old: pa.Table, changes: list[Changes], start: int) -> pa.Table:
    """The rows of a row group, which begin at `start`, as they are now."""
    columns: dict[str, pa.Array[Any]] = {name: _one(old.column(name)) for name in old.column_names}
    for change in changes:
        if not len(change):
            continue
        places = pc.subtract(_one(change.column(ROW)), start)
        hit = _hit(places, len(old))
        for name in change.column_names:
            if name not in columns:  # the place, or what stays as it is
                continue
            values = _one(change.column(name))
            # What is NULL in all rows and stays so: most of the rarer columns.
            if values.null_count < len(values) or columns[name].null_count < len(old):
                columns[name] = _replaced(columns[name], hit, values)
    fields = [_field(table, name) for name in columns]
    new = pa.Table.from_arrays(list(columns.values()), schema=pa.schema(fields))
    check_nulls(table, new)
    return new


def _hit(places: "pa.Array[Any]", length: int) -> Any:
    """Which rows have one of these places, as a mask."""
    marks = pa.repeat(pa.scalar(True), len(places))
    there = pc.scatter(marks, places, max_index=length - 1)  # type: ignore[attr-defined]
    return pc.is_valid(there)


def _replaced(old: "pa.Array[Any]", hit: Any, values: "pa.Array[Any]") -> Any:
    """A column with values in the places of a mask."""
    if not isinstance(old, pa.DictionaryArray):
        return pc.replace_with_mask(old, hit, values.cast(old.type))
    new: Any = values.cast(old.type.value_type).dictionary_encode()
    known = pc.index_in(new.dictionary, value_set=old.dictionary)
    words = pa.concat_arrays([old.dictionary, new.dictionary.filter(pc.is_null(known))])
    places = pc.index_in(new.dictionary, value_set=words).take(new.indices)
    return pa.DictionaryArray.from_arrays(
        pc.replace_with_mask(old.indices, hit, places.cast(old.indices.type)), words
    )


def _one(column: "pa.ChunkedArray[Any]") -> Any:
    return column.chunk(0) if column.num_chunks == 1 else pa.concat_arrays(column.chunks)
