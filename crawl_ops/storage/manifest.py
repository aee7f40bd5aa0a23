"""What a version of a table consists of: one small JSON file."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from crawl_ops.errors import StoreError

FORMAT = 3  # 1 knew base files only, 2 no filters
SLOT_BITS = 16
SLOTS = 1 << SLOT_BITS
OPERATIONS_KEPT = 1000
ROW_KINDS = ("base", "new")
KINDS = (*ROW_KINDS, "changed", "moved")


@dataclass(frozen=True, slots=True)
class FileEntry:
    """A data file, and the slots whose rows it holds: lo to hi, both included.

    kind: `base` files hold whole rows, sorted by host and URL (linkdb: by target), each slot in one
    file at most; `new` files hold further rows of the same form. `changed` files hold rows that
    replace rows of the same key, `moved` files what links alone change of a row (score, depth): of
    several, the one of the higher version counts. version: the version of the table that wrote it.
    """

    lo: int
    hi: int
    path: str
    rows: int
    bytes: int
    kind: str = "base"
    version: int = 0

    @property
    def holds_rows(self) -> bool:
        """Whether its rows are rows of the table, and not changes of such."""
        return self.kind in ROW_KINDS


@dataclass(frozen=True, slots=True)
class Bucket:
    """A range of slots that a job handles in one go, with the files that may hold its rows."""

    lo: int
    hi: int
    files: tuple[FileEntry, ...]


@dataclass(frozen=True, slots=True)
class Manifest:
    """A version of a table.

    bits: buckets are 2 ** bits equal ranges of slots. segments: folded in so far, in order.
    operations: what was done, as operation id -> version, so that asking again changes nothing.
    filters: the fingerprint of the URL filters that all its URLs have passed; empty if not one.
    """

    table: str
    version: int
    parent: int
    bits: int
    files: tuple[FileEntry, ...]
    segments: tuple[str, ...] = ()
    operations: Mapping[str, int] = field(default_factory=dict)
    job: str = ""
    operation: str = ""
    created: str = ""
    config: Mapping[str, Any] = field(default_factory=dict)
    report: Mapping[str, Any] = field(default_factory=dict)
    columns: tuple[str, ...] = ()
    filters: str = ""

    @property
    def rows(self) -> int:
        return sum(entry.rows for entry in self.files if entry.holds_rows)

    def bucket(self, lo: int = 0, hi: int = SLOTS - 1) -> Bucket:
        """The rows of the slots lo to hi; all, if none are named."""
        return Bucket(lo, hi, tuple(overlapping(self.files, lo, hi)))

    def buckets(self) -> list[Bucket]:
        """All rows, bucket by bucket."""
        return [self.bucket(*slots_of(number, self.bits)) for number in range(1 << self.bits)]

    def to_json(self) -> bytes:
        return json.dumps({"format": FORMAT, **asdict(self)}, indent=1).encode()


def from_json(data: bytes, path: str) -> Manifest:
    """The manifest in a file. Raises StoreError naming the file if it is newer, or is none."""
    try:
        plain = json.loads(data)
        found = plain.pop("format")
    except (ValueError, KeyError, TypeError, AttributeError):
        raise StoreError(f"{path}: is no manifest") from None
    if not isinstance(found, int) or not 1 <= found <= FORMAT:
        raise StoreError(
            f"{path}: manifest format {found} is newer than this crawl_ops reads ({FORMAT})"
        )
    try:
        plain["files"] = tuple(FileEntry(**entry) for entry in plain["files"])
        if unknown := {entry.kind for entry in plain["files"]}.difference(KINDS):
            raise StoreError(f"{path}: files of an unknown kind ({', '.join(sorted(unknown))})")
        plain["segments"] = tuple(plain["segments"])
        plain["columns"] = tuple(plain["columns"])
        return Manifest(**plain)
    except (TypeError, KeyError) as error:
        raise StoreError(f"{path}: is no manifest: {error}") from None


def slots_of(bucket: int, bits: int) -> tuple[int, int]:
    """First and last slot of a bucket."""
    width = SLOTS >> bits
    return bucket * width, (bucket + 1) * width - 1


def overlapping(files: Iterable[FileEntry], lo: int, hi: int) -> list[FileEntry]:
    """The files that may hold rows of the slots lo to hi."""
    return [entry for entry in files if entry.lo <= hi and entry.hi >= lo]
