"""Writing what a job has changed of a table: buckets anew, or files laid over those there are."""

from crawl_ops.storage.manifest import SLOT_BITS, SLOTS, Bucket, FileEntry
from crawl_ops.storage.merged import MOVED, ORDERS, Merged, Overlay
from crawl_ops.storage.session import Session
from crawl_ops.storage.table import Commit

APART_ROWS = 100_000  # a base of fewer rows is written as one sorted file
SHARE = 4  # what lies on top of base files is at most a quarter of them


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
    standing = session.count(f"({old.stored(bucket, ['base'])})")
    fresh = session.count(f"({old.stored(bucket, ['new'])})") + session.count(overlay.added)
    files = _BucketFiles(session, commit, bucket, f" WHERE {keep}" if keep else "", overlay.added)
    if len(base) == 1 and standing >= APART_ROWS and fresh * SHARE <= standing:
        entries = [
            files.in_order(old.select(bucket, ["base"])),
            files.sorted(old.select(bucket, ["new"]), "new") if fresh else None,
        ]
    else:
        entries = [files.sorted(old.select(bucket), "base")]
    commit.replace(bucket, *entries)
    return sum(entry.rows for entry in entries if entry)


class _BucketFiles:
    """Writes the files of one bucket. where: which old rows stay."""

    def __init__(
        self, session: Session, commit: Commit, bucket: Bucket, where: str, added: str
    ) -> None:
        self._session = session
        self._commit = commit
        self._bucket = bucket
        self._where = where
        self._added = added

    def in_order(self, rows: str) -> FileEntry | None:
        """Rows in the order they come in."""
        with self._session.joins_as_written():
            return self._write(f"FROM ({rows}){self._where}", "base")

    def sorted(self, rows: str, kind: str) -> FileEntry | None:
        """Rows, and those added, sorted."""
        order = ORDERS[self._commit.table.name]
        united = f"FROM ({rows}){self._where} UNION ALL BY NAME FROM {self._added}"
        return self._write(f"{united} ORDER BY {order}", kind)

    def _write(self, select: str, kind: str) -> FileEntry | None:
        path = self._commit.data_path(self._bucket, kind)
        return self._session.write(select, self._commit.table.name, self._bucket, path, kind)


def lay_over(session: Session, commit: Commit, overlay: Overlay) -> None:
    """Write an overlay as files on top of those there are: they reach over all slots."""
    table = commit.table.name
    whole = Bucket(0, SLOTS - 1, ())
    shift = SLOT_BITS - commit.parent.bits
    parts = [
        ("changed", overlay.changed, table, "slot, " + ORDERS[table]),
        ("new", overlay.added, table, f"slot >> {int(shift)}, {ORDERS[table]}"),
    ]
    if overlay.moved:
        parts.append(("moved", overlay.moved, MOVED, "slot, k"))
    for kind, name, declared, order in parts:
        path = commit.data_path(whole, kind)
        commit.add(session.write(f"FROM {name} ORDER BY {order}", declared, whole, path, kind))
