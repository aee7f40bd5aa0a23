"""What a version of a table consists of: one small JSON file."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from crawl_ops.errors import StoreError

FORMAT = 1
SLOT_BITS = 16
SLOTS = 1 << SLOT_BITS
OPERATIONS_KEPT = 1000


@dataclass(frozen=True, slots=True)
class FileEntry:
    """A data file, and the slots whose rows it holds: lo to hi, both included.

    kind: `base` files hold whole rows, sorted by host and URL (linkdb: by target).
    """

    lo: int
    hi: int
    path: str
    rows: int
    bytes: int
    kind: str = "base"


@dataclass(frozen=True, slots=True)
class Manifest:
    """A version of a table.

    bits: buckets are 2 ** bits equal ranges of slots. segments: folded in so far, in order.
    operations: what was done, as operation id -> version, so that asking again changes nothing.
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

    @property
    def rows(self) -> int:
        return sum(entry.rows for entry in self.files)

    def to_json(self) -> bytes:
        return json.dumps({"format": FORMAT, **asdict(self)}, indent=1).encode()


def from_json(data: bytes, path: str) -> Manifest:
    """The manifest in a file. Raises StoreError naming the file if it is newer, or is none."""
    try:
        plain = json.loads(data)
        found = plain.pop("format")
    except (ValueError, KeyError, TypeError, AttributeError):
        raise StoreError(f"{path}: is no manifest") from None
    if found != FORMAT:
        raise StoreError(
            f"{path}: manifest format {found} is newer than this crawl_ops reads ({FORMAT})"
        )
    try:
        plain["files"] = tuple(FileEntry(**entry) for entry in plain["files"])
        plain["segments"] = tuple(plain["segments"])
        plain["columns"] = tuple(plain["columns"])
        return Manifest(**plain)
    except (TypeError, KeyError) as error:
        raise StoreError(f"{path}: is no manifest: {error}") from None


def bucket_of(slot: int, bits: int) -> int:
    """The bucket of a slot when there are 2 ** bits buckets."""
    return slot >> (SLOT_BITS - bits)


def slots_of(bucket: int, bits: int) -> tuple[int, int]:
    """First and last slot of a bucket."""
    width = SLOTS >> bits
    return bucket * width, (bucket + 1) * width - 1


def overlapping(files: Iterable[FileEntry], lo: int, hi: int) -> list[FileEntry]:
    """The files that may hold rows of the slots lo to hi."""
    return [entry for entry in files if entry.lo <= hi and entry.hi >= lo]
