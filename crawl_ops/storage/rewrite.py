"""Writing what a job has changed of a table: buckets anew, or files laid over those there are."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from crawl_ops.errors import StoreError, os_reason
from crawl_ops.storage.faults import reading
from crawl_ops.storage.manifest import SLOT_BITS, SLOTS, Bucket, FileEntry
from crawl_ops.storage.merged import KEYS, MOVED, ORDERS, Merged, Overlay, is_plain
from crawl_ops.storage.patching import changes_of, may_be_patched, patch
from crawl_ops.storage.session import Session
from crawl_ops.storage.table import Commit
from crawl_ops.storage.uniting import WHOLE, United

APART_ROWS = 100_000  # a base of fewer rows is written as one sorted file
SHARE = 4  # what lies on top of base files is at most a quarter of them
MOST_AT_ONCE = 2_000_000  # rows that a job may hold to lay them over a table


def may_lie_over(commit: Commit, rows: int, last: Sequence[FileEntry] = ()) -> bool:
    """Whether so many changed rows are laid over the table; else its buckets are written anew.

    Not over a small table, nor when it is time to write the table anew: what lies over it would
    pass a quarter of it, or db.deltas.max rounds. last: as for lay_over.
    """
    limits = commit.config.db
    files = commit.parent.files
    base = sum(entry.rows for entry in files if entry.kind == "base")
    over = [entry for entry in files if entry.kind != "base"]
    rounds = {entry.version for entry in over if entry.hi - entry.lo == SLOTS - 1}
    rounds -= {entry.version for entry in last}
    return (
        base >= limits.deltas_rows
        and rows <= MOST_AT_ONCE
        and len(rounds) < limits.deltas_max
        and SHARE * (sum(entry.rows for entry in over) + rows) <= base
    )


def rewrite(
    session: Session, commit: Commit, bucket: Bucket, overlay: Overlay, keep: str = ""
) -> int:
    """Write a bucket anew with an overlay; returns its rows.

    Old rows stay in the order they are in, which is sorted; new ones are sorted into a file of
    their own while they are few, and into one with the old ones when they pass a quarter.
    keep: SQL over the columns, true for the rows that stay.
    """
    old = Merged(commit.table.name, session.files.location, overlay)
    base = [entry for entry in bucket.files if entry.kind == "base"]
    standing = session.stored(commit.table.name, bucket, ["base"])
    younger = session.stored(commit.table.name, bucket, ["new"])
    fresh = younger + overlay.rows_added
    files = _BucketFiles(session, commit, bucket, overlay)
    if len(base) == 1 and standing >= APART_ROWS and fresh * SHARE <= standing:
        patched = None if keep else files.patched(base[0])
        entries = [
            patched or files.in_order(old.select(bucket, ["base"], keep)),
        ]
        with session.one_thread():
            further = old.select(bucket, ["new"], keep) if younger else ""
            entries.append(files.sorted(further, "new"))
    else:
        entries = [
            files.sorted(old.select(bucket, keep=keep) if standing + younger else "", "base")
        ]
    commit.replace(bucket, *entries)
    return sum(entry.rows for entry in entries if entry)


class _BucketFiles:
    """Writes the files of one bucket."""

    def __init__(self, session: Session, commit: Commit, bucket: Bucket, overlay: Overlay) -> None:
        self._session = session
        self._commit = commit
        self._bucket = bucket
        self._overlay = overlay

    def patched(self, base: FileEntry) -> FileEntry | None:
        """A file with what the overlay changes; None if it is not so simple."""
        bucket, table, files = self._bucket, self._commit.table.name, self._session.files
        source = files.root / base.path
        if not is_plain(bucket, base) or not may_be_patched(table, source):
            return None
        changes = changes_of(table, str(source), self._overlay, self._session.arrow_table)
        path = self._commit.data_path(bucket, "base")
        target, aside = files.aside(".parquet"), files.aside(".parquet")
        try:
            with reading(str(source), table):
                rows = patch(table, source, target, aside, changes)
            size = target.stat().st_size
            files.publish(target, path)
        except OSError as error:
            where = error.filename or files.root / path
            raise StoreError(f"{where}: {os_reason(error)}") from error
        finally:
            target.unlink(missing_ok=True)
            aside.unlink(missing_ok=True)
        return FileEntry(bucket.lo, bucket.hi, path, rows, size)

    def in_order(self, rows: str) -> FileEntry | None:
        """Rows in the order they come in."""
        with self._session.joins_as_written():
            return self._write(f"FROM ({rows})", "base", {})

    def sorted(self, rows: str, kind: str) -> FileEntry | None:
        """Rows, and those added, sorted."""
        parts = [f"FROM ({rows})"] if rows else []
        parameters: Mapping[str, Any] = {}
        if self._overlay.rows_added:
            parts.append(f"FROM ({self._overlay.added})")
            parameters = self._overlay.parameters
        if not parts:
            return None
        # What is added comes sorted: wide rows are sorted only where there are old ones among them.
        order = f" ORDER BY {ORDERS[self._commit.table.name]}" if rows else ""
        return self._write(" UNION ALL BY NAME ".join(parts) + order, kind, parameters)

    def _write(self, select: str, kind: str, parameters: Mapping[str, Any]) -> FileEntry | None:
        path = self._commit.data_path(self._bucket, kind)
        table = self._commit.table.name
        return self._session.write(select, table, self._bucket, path, kind, parameters)


def lay_over(
    session: Session, commit: Commit, overlay: Overlay, last: Sequence[FileEntry] = ()
) -> None:
    """Write an overlay as files on top of those there are: they reach over all slots.

    last: the files that were laid over the table last; those written hold what they hold too, and
    take their place.
    """
    table = commit.table.name
    united = United(table, session.files.location, last, overlay)
    commit.replace(replace(WHOLE, files=tuple(last)))
    key = KEYS[table]
    added, parameters = united.new()
    shift = SLOT_BITS - commit.parent.bits
    by_bucket = f"slot >> {int(shift)}, {ORDERS[table]}"
    for kind, declared, select, order, given in (
        ("new", table, added, by_bucket, parameters),
        ("changed", table, united.changed(), f"slot, {key}", {}),
        ("moved", MOVED, united.moved() if table == "crawldb" else "", f"slot, {key}", {}),
    ):
        if select:
            path = commit.data_path(WHOLE, kind)
            ordered = f"FROM ({select}) ORDER BY {order}"
            with session.one_thread():
                commit.add(session.write(ordered, declared, WHOLE, path, kind, given))
