"""The rows of a versioned table as one SELECT: files of rows, with what changed since laid over."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from crawl_ops.storage.manifest import ROW_KINDS, Bucket, FileEntry
from crawl_ops.storage.schema import column_types

KEYS = {"crawldb": "k", "hostdb": "host"}
ORDERS = {"crawldb": "host, url", "hostdb": "host"}
FIXED = ("k", "slot", "url", "host", "domain")  # what a row is about: no overlay changes these
ROW = "row"  # the place of a row in a data file, from 0
TIE = "tie"
MOVED = "crawldb_moved"
MOVED_COLUMNS = ("score", "depth", "max_depth")
_NEWEST = 2**31 - 1


@dataclass(frozen=True, slots=True)
class Overlay:
    """What lies over the files of a table.

    changed, moved: names of temporary tables; rows that replace those of their key, and score and
    depth of a key. added: a SELECT with $parameters; rows of keys that the table does not have, in
    the order of its files. placed: moved has the places that Merged.placed gives. places: a table
    that has them for the keys of changed.
    """

    added: str
    rows_added: int
    changed: str | None = None
    moved: str | None = None
    placed: bool = False
    places: str | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)


class Merged:
    """Writes the SELECT for the rows of a bucket. `location`: what DuckDB opens for a path."""

    def __init__(
        self, table: str, location: Callable[[str], str], overlay: Overlay | None = None
    ) -> None:
        self.table = table
        self._location = location
        self._overlay = overlay
        self._columns = list(column_types(table))

    def stored(self, bucket: Bucket, kinds: Iterable[str] = ROW_KINDS) -> str:
        """The rows of the bucket as the files of these kinds have them."""
        return self._files(bucket, [e for e in bucket.files if e.kind in kinds], self.table)

    def select(self, bucket: Bucket, kinds: Iterable[str] = ROW_KINDS, keep: str = "") -> str:
        """The rows of the bucket that stand in files of these kinds, as they are now.

        One file of rows comes out in its order: the join keeps that of its left side.
        keep: SQL over the columns before the overlay, true for the rows that count; rows that the
        overlay changes do.
        """
        rows = self.stored(bucket, kinds)
        changed = self._latest(bucket, "changed", self.table)
        moved = self._latest(bucket, "moved", MOVED)
        if not changed and not moved:
            return f"FROM ({rows}) WHERE {keep}" if keep else rows
        key = KEYS[self.table]
        joins = f"({rows}) b"
        for alias, select in (("w", changed), ("m", moved)):
            if select:
                joins += f" LEFT JOIN ({select}) {alias} ON {alias}.{key} = b.{key}"
        columns = (self._column(name, bool(changed), bool(moved)) for name in self._columns)
        select = f"SELECT {', '.join(columns)}"
        if not keep:
            return f"{select} FROM {joins}"
        own = f"coalesce(w.version = {_NEWEST}, false)" if changed else "false"
        marked = f"{select}, {own} AS from_overlay FROM {joins}"
        return f"SELECT * EXCLUDE (from_overlay) FROM ({marked}) WHERE from_overlay OR ({keep})"

    def placed(self, bucket: Bucket, keep: str = "") -> str:
        """`select` with `row`: the place in the base file, where that can be patched, or NULL."""
        base = [entry for entry in bucket.files if entry.kind == "base"]
        if keep or len(base) != 1 or not is_plain(bucket, base[0]):
            return f"SELECT *, NULL::BIGINT AS {ROW} FROM ({self.select(bucket, keep=keep)})"
        columns = ", ".join(self._columns)
        path = literal(self._location(base[0].path))
        younger = self.stored(bucket, ["new"])
        return (
            f"SELECT {columns}, file_row_number AS {ROW}"
            f" FROM read_parquet({path}, file_row_number = true)"
            f" UNION ALL SELECT {columns}, NULL FROM ({younger})"
        )

    def ordered(self, bucket: Bucket, *, hosts_apart: bool) -> str:
        """`select` with `row`, and `tie`: URLs with a lower one come first.

        Where the rows are those of one file, which is in the order of hosts and URLs, row is the
        place there, and tie as well if only URLs of one host are compared (hosts_apart): text need
        not be read to compare it. Else tie is the URL, and row is NULL.
        """
        if not in_one_file(bucket):
            rows = self.select(bucket)
            return f"SELECT *, url AS {TIE}, NULL::BIGINT AS {ROW} FROM ({rows})"
        path = literal(self._location(bucket.files[0].path))
        tie = "file_row_number" if hosts_apart else "url"
        place = f"{tie} AS {TIE}, file_row_number AS {ROW}"
        columns = ", ".join(self._columns)
        return f"SELECT {columns}, {place} FROM read_parquet({path}, file_row_number = true)"

    def _column(self, name: str, changed: bool, moved: bool) -> str:
        if name in FIXED:
            return f"b.{name}"
        old = f"if(w.version IS NULL, b.{name}, w.{name})" if changed else f"b.{name}"
        if moved and name in MOVED_COLUMNS:
            newer = "m.version > coalesce(w.version, -1)" if changed else "m.version IS NOT NULL"
            old = f"if({newer}, m.{name}, {old})"
        return f"{old} AS {name}"

    def _files(self, bucket: Bucket, entries: Sequence[FileEntry], table: str) -> str:
        columns = column_types(table)
        if not entries:
            return no_rows(table)
        paths = ", ".join(literal(self._location(entry.path)) for entry in entries)
        whole = all(bucket.lo <= entry.lo and entry.hi <= bucket.hi for entry in entries)
        where = "" if whole else f" WHERE slot BETWEEN {int(bucket.lo)} AND {int(bucket.hi)}"
        return f"SELECT {', '.join(columns)} FROM read_parquet([{paths}]){where}"

    def _latest(self, bucket: Bucket, kind: str, table: str) -> str:
        """Of each key the newest change, with its version; nothing if there are none."""
        files = [entry for entry in bucket.files if entry.kind == kind]
        sources = [
            f"SELECT {int(e.version)} AS version, * FROM ({self._files(bucket, [e], table)})"
            for e in files
        ]
        if self._overlay and (name := getattr(self._overlay, kind)):
            sources.append(f"SELECT {_NEWEST} AS version, * FROM {name}")
        if len(sources) < 2:
            return "".join(sources)
        union = " UNION ALL BY NAME ".join(sources)
        newest = f"PARTITION BY {KEYS[self.table]} ORDER BY version DESC"
        return f"SELECT * FROM ({union}) QUALIFY row_number() OVER ({newest}) = 1"


def in_one_file(bucket: Bucket) -> bool:
    """Whether a bucket is the rows of one file, as they stand there."""
    return len(bucket.files) == 1 and is_plain(bucket, bucket.files[0])


def is_plain(bucket: Bucket, base: FileEntry) -> bool:
    """Whether the rows of a base file are those of a bucket, and nothing lies over them."""
    laid = any(not entry.holds_rows for entry in bucket.files)
    return not laid and bucket.lo <= base.lo and base.hi <= bucket.hi


def with_places(
    table: str, path: str, name: str, columns: Sequence[str], places: str | None = None
) -> str:
    """The rows of a temporary table that have their key in a data file, and their places there.

    places: a temporary table that has them, by key; None: they are looked up in the file.
    """
    if places == name:
        picked = ", ".join(columns)
        return f"SELECT {ROW}, {picked} FROM {name} WHERE {ROW} IS NOT NULL ORDER BY {ROW}"
    key = KEYS[table]
    if places is None:
        rows = f"read_parquet({literal(path)}, file_row_number = true)"
        places = f"(SELECT {key}, file_row_number AS {ROW} FROM {rows})"
    picked = ", ".join(f"w.{column}" for column in columns)
    return (
        f"SELECT b.{ROW}, {picked} FROM {places} b JOIN {name} w ON w.{key} = b.{key}"
        f" WHERE b.{ROW} IS NOT NULL ORDER BY b.{ROW}"
    )


def no_rows(table: str) -> str:
    """The declared table without rows."""
    columns = ", ".join(
        f"CAST(NULL AS {kind}) AS {name}" for name, kind in column_types(table).items()
    )
    return f"SELECT * FROM (SELECT {columns}) WHERE false"


def literal(value: object) -> str:
    """A number or text as SQL."""
    if isinstance(value, bool | int):
        return str(value).lower()
    return "'" + str(value).replace("'", "''") + "'"
