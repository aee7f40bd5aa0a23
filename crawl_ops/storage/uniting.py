"""Two rounds laid over a table as one: a depth that is done again replaces what it left before."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from crawl_ops.errors import NotFoundError
from crawl_ops.storage.files import LocalFiles
from crawl_ops.storage.manifest import SLOTS, Bucket, FileEntry, Manifest
from crawl_ops.storage.merged import KEYS, MOVED, Merged, Overlay
from crawl_ops.storage.schema import column_types
from crawl_ops.storage.segment import Segment

WHOLE = Bucket(0, SLOTS - 1, ())


def laid_by_same_depth(
    manifest: Manifest, files: LocalFiles, segment: str
) -> tuple[FileEntry, ...]:
    """The files of the round laid over a table last, if `segment` does its depth again; or none."""
    over = [entry for entry in manifest.files if _is_laid(entry)]
    version = max((entry.version for entry in over), default=0)
    job, _, earlier = next(
        (name for name, number in manifest.operations.items() if number == version), ""
    ).partition(":")
    if not over or job != "updatedb" or not _of_one_depth(files, earlier, segment):
        return ()
    return tuple(entry for entry in over if entry.version == version)


def _is_laid(entry: FileEntry) -> bool:
    return entry.kind != "base" and (entry.lo, entry.hi) == (WHOLE.lo, WHOLE.hi)


def _of_one_depth(files: LocalFiles, *segments: str) -> bool:
    try:
        found = [Segment(files, name).info() for name in segments]
    except NotFoundError:  # no longer kept
        return False
    depths = {(info.get("run_id"), info.get("depth")) for info in found}
    return len(depths) == 1 and all(next(iter(depths)))


class United:
    """Writes the SELECTs for what was laid over a table last with an overlay over it."""

    def __init__(
        self,
        table: str,
        location: Callable[[str], str],
        last: Sequence[FileEntry],
        overlay: Overlay,
    ) -> None:
        self._table = table
        self._last = last
        self._overlay = overlay
        self._key = KEYS[table]
        self._merged = Merged(table, location, overlay)
        self._as_stored = Merged(table, location)
        self._moved = Merged(MOVED, location)

    def new(self) -> tuple[str, Mapping[str, Any]]:
        """Rows of keys that the table had not before both rounds; and parameters."""
        parts = self._anew("new")
        if not self._overlay.rows_added:
            return _union(parts), {}
        return _union([*parts, f"FROM ({self._overlay.added})"]), self._overlay.parameters

    def changed(self) -> str:
        """Rows that replace those of their key."""
        parts = self._anew("changed")
        if name := self._overlay.changed:
            parts.append(self._without(self._columns(self._table), name, self._standing()))
        return _union(parts)

    def moved(self) -> str:
        """What links change of rows that are not replaced."""
        changed = (
            f"SELECT {self._key} FROM {self._overlay.changed}" if self._overlay.changed else ""
        )
        columns = self._columns(MOVED)
        parts = []
        if name := self._overlay.moved:
            parts.append(self._without(columns, name, self._standing(), changed))
        if files := self._of("moved"):
            newer = f"SELECT k FROM {name}" if name else ""
            old = f"({self._moved.stored(_rows(files))})"
            parts.append(self._without(columns, old, newer, changed))
        return _union(parts)

    def _of(self, *kinds: str) -> list[FileEntry]:
        return [entry for entry in self._last if entry.kind in kinds]

    def _anew(self, kind: str) -> list[str]:
        """The rows of the files of a kind, as the overlay makes them."""
        files = self._of(kind)
        return [f"FROM ({self._merged.select(_rows(files))})"] if files else []

    def _standing(self) -> str:
        """The keys that have a whole row in the files of the last round."""
        files = self._of("new", "changed")
        return f"SELECT {self._key} FROM ({self._as_stored.stored(_rows(files))})" if files else ""

    def _without(self, columns: str, rows: str, *others: str) -> str:
        anti = " ".join(f"ANTI JOIN ({keys}) USING ({self._key})" for keys in others if keys)
        return f"SELECT {columns} FROM {rows} AS r {anti}"

    def _columns(self, table: str) -> str:
        return ", ".join(column_types(table))


def _rows(files: Sequence[FileEntry]) -> Bucket:
    """Files as if their rows were those of a table."""
    return replace(WHOLE, files=tuple(replace(entry, kind="base") for entry in files))


def _union(parts: Sequence[str]) -> str:
    return " UNION ALL BY NAME ".join(parts)
