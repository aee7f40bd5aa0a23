"""Versioned tables: immutable data files, and manifests that say which of them count."""

import contextlib
import uuid
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime

from filelock import FileLock, Timeout

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.errors import CommitConflictError, NotFoundError, StoreError, os_reason
from crawl_ops.model import JobReport
from crawl_ops.storage.files import LocalFiles
from crawl_ops.storage.manifest import (
    OPERATIONS_KEPT,
    SLOTS,
    FileEntry,
    Manifest,
    from_json,
    slots_of,
)
from crawl_ops.storage.manifest import Bucket as Bucket
from crawl_ops.storage.schema import schemas

WRITER_WAIT_S = 600.0
LINKS_FOR_URLS = 6  # a link is longer than a URL, and all links of a bucket are sorted at once


class VersionedTable:
    """crawldb, linkdb or hostdb. Readers never lock; a commit is the creation of a manifest."""

    def __init__(self, files: LocalFiles, name: str) -> None:
        self.files = files
        self.name = name

    def versions(self) -> list[int]:
        """The versions there are, oldest first."""
        found = []
        for name in self.files.names(f"{self.name}/manifests"):
            stem, dot, ending = name.partition(".")
            if (dot, ending) != (".", "json") or not stem.isdigit():
                where = self.files.location(f"{self.name}/manifests/{name}")
                raise StoreError(f"{where}: foreign file in the crawl folder")
            found.append(int(stem))
        return sorted(found)

    def current(self) -> Manifest:
        """The newest version; version 0, without files, if nothing was committed yet."""
        found = self.versions()
        return self.version(found[-1]) if found else self._nothing()

    def version(self, number: int) -> Manifest:
        """One version. Raises NotFoundError if it is not kept."""
        if number == 0:
            return self._nothing()
        path = self._path(number)
        try:
            return from_json(self.files.read(path), self.files.location(path))
        except NotFoundError:
            raise NotFoundError(f"{self.name} has no version {number}") from None

    def _nothing(self) -> Manifest:
        return Manifest(table=self.name, version=0, parent=0, bits=0, files=())

    def _path(self, number: int) -> str:
        return f"{self.name}/manifests/{number:08}.json"

    def done(self, operation: str) -> JobReport | None:
        """The report of an operation that was committed already, or None."""
        current = self.current()
        if operation not in current.operations:
            return None
        return self.report_of(current.operations[operation], operation)

    def report_of(self, version: int, operation: str) -> JobReport:
        """What the commit of a version reported; little is left if the version is not kept."""
        try:
            plain = dict(self.version(version).report)
        except NotFoundError:
            return JobReport(operation.partition(":")[0], details={"already_done": True})
        known = {key: plain.pop(key) for key in ("job", "segment", "counts", "seconds")}
        return JobReport(**known, details={**plain, "already_done": True})

    @contextlib.contextmanager
    def writing(self) -> Iterator[None]:
        """Wait until no other process on this machine writes the table.

        Saves work that would be thrown away; what keeps a commit right is `Commit.publish`.
        """
        folder = self.files.root / self.name
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with FileLock(folder / ".writer.lock", timeout=WRITER_WAIT_S):
                yield
        except Timeout:
            raise CommitConflictError(f"{folder}: another job writes the {self.name}") from None
        except OSError as error:
            raise StoreError(f"{error.filename or folder}: {os_reason(error)}") from error

    def begin(self, job: str, operation: str, config: CrawlConfig, now: datetime) -> "Commit":
        """Start a new version on top of the current one."""
        return Commit(self, self.current(), job, operation, config, now)


@dataclass
class Commit:
    """A version in the making. Nothing of it can be seen before `publish`.

    filters: the fingerprint of the URL filters that judged what is added; empty if it is not known.
    """

    table: VersionedTable
    parent: Manifest
    job: str
    operation: str
    config: CrawlConfig
    now: datetime
    segments: list[str] = field(default_factory=list)
    filters: str = ""
    _removed: set[str] = field(default_factory=set)
    _added: list[FileEntry] = field(default_factory=list)
    _bits: int | None = None

    @property
    def version(self) -> int:
        return self.parent.version + 1

    @property
    def bits(self) -> int:
        """Bucket bits of the new version: more when a file of the parent has grown too large."""
        if self._bits is None:
            limit = self._most_rows
            rows = max((bucket_rows(self.parent.files, e) for e in self.parent.files), default=0)
            grown = self.parent.bits
            while rows > limit and grown < 12:
                rows, grown = rows // 2, grown + 1
            self._bits = grown
        return self._bits

    @property
    def rows(self) -> int:
        """Rows of the new version as it stands."""
        kept = (entry for entry in self.parent.files if entry.path not in self._removed)
        return sum(entry.rows for entry in (*kept, *self._added) if entry.holds_rows)

    def spread(self, rows: int) -> None:
        """Choose the bucket bits for about so many rows (a first version only)."""
        if not self.parent.files:
            self._bits = max(0, (max(rows, 1) // max(self._most_rows * 2 // 3, 1)).bit_length())

    @property
    def _most_rows(self) -> int:
        """Rows of a bucket beyond which there are to be more buckets."""
        return self.config.db.bucket_rows // (LINKS_FOR_URLS if self.table.name == "linkdb" else 1)

    def buckets(self, slots: Iterable[tuple[int, int]] | None = None) -> list[Bucket]:
        """The buckets to write: all, or those that hold any of the slot ranges.

        A file that reaches over several buckets brings all of them along.
        """
        ranges = [slots_of(number, self.bits) for number in range(1 << self.bits)]
        if slots is not None:
            wanted = list(slots)
            files = [
                e for e in self.parent.files if any(e.lo <= hi and e.hi >= lo for lo, hi in wanted)
            ]
            wanted += [(entry.lo, entry.hi) for entry in files]
            ranges = [(lo, hi) for lo, hi in ranges if any(a <= hi and b >= lo for a, b in wanted)]
        return [self.parent.bucket(lo, hi) for lo, hi in ranges]

    def replace(self, bucket: Bucket, *entries: FileEntry | None) -> None:
        """The rows of a bucket are those of the entries now; none, or None: it has none."""
        self._removed.update(old.path for old in bucket.files)
        self.add(*entries)

    def add(self, *entries: FileEntry | None) -> None:
        """Lay files over those that there are."""
        self._added += [
            replace(entry, version=self.version) for entry in entries if entry is not None
        ]

    def data_path(self, bucket: Bucket, kind: str = "base") -> str:
        """A name for a new data file of a bucket that no one else can have."""
        folder = f"{self.table.name}/{kind}/{bucket.lo:04x}-{bucket.hi:04x}"
        return f"{folder}/v{self.version:08}-{uuid.uuid4().hex}.parquet"

    def publish(self, report: JobReport) -> Manifest:
        """Make the new version the current one. Raises CommitConflictError if another was first."""
        kept = tuple(entry for entry in self.parent.files if entry.path not in self._removed)
        operations = {**self.parent.operations, self.operation: self.version}
        same = not self.parent.rows or self.parent.filters == self.filters
        manifest = replace(
            self.parent,
            version=self.version,
            parent=self.parent.version,
            bits=self.bits,
            files=tuple(sorted((*kept, *self._added), key=lambda entry: (entry.lo, entry.path))),
            segments=(
                *self.parent.segments,
                *(s for s in self.segments if s not in self.parent.segments),
            ),
            operations=dict(list(operations.items())[-OPERATIONS_KEPT:]),
            job=self.job,
            operation=self.operation,
            created=self.now.isoformat(),
            config=self.config.as_properties(),
            report=report.as_dict(),
            columns=tuple(schemas()[self.table.name].names),
            filters=self.filters if same else "",
        )
        _check_cover(manifest)
        if not self.table.files.create(self.table._path(self.version), manifest.to_json()):
            self.abandon()
            raise CommitConflictError(
                f"{self.table.name}: another job committed version {self.version} first;"
                f" run {self.job} again"
            )
        return manifest

    def abandon(self) -> None:
        """Remove the files written for a version that will not be."""
        for entry in self._added:
            self.table.files.remove(entry.path)


def _check_cover(manifest: Manifest) -> None:
    """Base files must not overlap: a row would count twice."""
    reached = -1
    for entry in manifest.files:
        if entry.kind != "base":
            continue
        if entry.lo <= reached or entry.hi >= SLOTS or entry.lo > entry.hi:
            raise StoreError(
                f"{entry.path}: its slots {entry.lo} to {entry.hi} are in another file too"
            )
        reached = entry.hi


def bucket_rows(files: Iterable[FileEntry], base: FileEntry) -> int:
    """About the rows in the slots of a base file, with the new ones."""
    if base.kind != "base":
        return 0
    width = base.hi - base.lo + 1
    shares = (
        entry.rows * min(1.0, width / (entry.hi - entry.lo + 1))
        for entry in files
        if entry.holds_rows and entry.lo <= base.hi and entry.hi >= base.lo
    )
    return int(sum(shares))
