"""The crawl folder: one crawl with its tables, segments and index."""

import contextlib
import hashlib
import json
import os
import re
import secrets
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.errors import NotFoundError, StoreError, os_reason
from crawl_ops.storage.files import LocalFiles
from crawl_ops.storage.segment import Segment
from crawl_ops.storage.table import VersionedTable

if TYPE_CHECKING:  # the engine is loaded where it is asked something
    from crawl_ops.storage.session import Session

CRAWL_FORMAT = 1
MARK = "crawl.json"
TABLES = ("crawldb", "linkdb", "hostdb")
KEYED = {*TABLES, "segments", "index", "runs"}
OURS = {MARK, *TABLES, "segments", "index", "runs", "scratch", "views.sql"}


_MERGED = re.compile(r"-m[0-9a-f]{10}$")  # what the names of merged segments end with
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):/")  # of a Path too, which has lost a slash


def merged_name(sources: Sequence[str]) -> str:
    """The name of the segment that sources, oldest first, are merged into.

    It sorts right after the newest of them: what is newer stays newer.
    """
    digest = hashlib.sha256("\n".join(sources).encode()).hexdigest()[:10]
    return f"{_MERGED.sub('', sources[-1])}-m{digest}"


class CrawlDir:
    """One crawl. Made by `open`.

    seed: what URL keys and slots of this crawl are hashed with; never changes.
    """

    def __init__(self, files: LocalFiles, seed: int) -> None:
        self.files = files
        self.seed = seed

    @classmethod
    def open(cls, location: str | Path, create: bool = False) -> "CrawlDir":
        """Open a crawl folder, or make one in a new or empty folder.

        Raises NotFoundError if there is none, StoreError if the folder cannot be written, holds
        foreign files, or is of a newer format.
        """
        if scheme := _SCHEME.match(str(location)):
            raise StoreError(
                f"{location}: {scheme[1]}:// is not supported yet; a crawl is in a local folder"
            )
        root = Path(location).absolute()
        files = LocalFiles(root, fsync=os.environ.get("CRAWL_OPS_FSYNC", "1") != "0")
        if not (root / MARK).is_file():
            if root.is_file():
                raise StoreError(f"{root}: is a file, where a crawl folder is needed")
            if not create:
                raise NotFoundError(f"{root}: there is no crawl here")
            _begin(files)
        return cls(files, _seed(files))

    @property
    def root(self) -> Path:
        return self.files.root

    def table(self, name: str) -> VersionedTable:
        """crawldb, linkdb or hostdb."""
        if name not in TABLES:
            raise NotFoundError(f"there is no table {name}; there are {', '.join(TABLES)}")
        return VersionedTable(self.files, name)

    def segment(self, name: str) -> Segment:
        """A segment that exists. Raises NotFoundError."""
        plain = name.rstrip("/").rpartition("/")[2]
        segment = Segment(self.files, plain)
        if (
            not plain
            or plain.startswith(".")
            or not self.files.exists(f"{segment.folder}/segment.json")
        ):
            merged = self.stood_for().get(plain)
            why = f"; it was merged into {merged}" if merged else ""
            raise NotFoundError(f"there is no segment {name}{why}")
        return segment

    def new_segment(self, name: str) -> Segment:
        """The files of a segment that generate is about to write."""
        return Segment(self.files, name)

    def segments(self) -> list[str]:
        """Names of all segments, oldest first; not those that a merged one stands for."""
        names = self.files.names("segments")
        gone = self._stood_for(names)
        return [
            name
            for name in names
            if name not in gone and self.files.exists(f"segments/{name}/segment.json")
        ]

    def stood_for(self) -> dict[str, str]:
        """Segments that were merged -> the segment that stands for them now."""
        return self._stood_for(self.files.names("segments"))

    def _stood_for(self, names: Sequence[str]) -> dict[str, str]:
        found: dict[str, str] = {}
        for name in filter(_MERGED.search, names):
            with contextlib.suppress(NotFoundError):  # is being written, or has just gone
                found |= dict.fromkeys(Segment(self.files, name).info().get("merged", ()), name)
        # Of one that was itself merged again, the last counts.
        return {name: found.get(merged, merged) for name, merged in found.items()}

    def why_gone(self, names: Sequence[str]) -> str:
        """What became of segments that were there once, in words that follow their names."""
        stood_for = self.stood_for()
        into = sorted({stood_for[name] for name in names if name in stood_for})
        return f"were merged into {', '.join(into)}" if into else "are no longer kept"

    def remove_segment(self, segment: Segment) -> int:
        """Remove a segment, and what may be left of those it stands for; returns its bytes."""
        for name in segment.info().get("merged", ()):
            self._drop(Segment(self.files, name))
        return self._drop(segment)

    def _drop(self, segment: Segment) -> int:
        size = sum(self.files.size(path) for path in self.files.walk(segment.folder))
        # The description first: from then on the segment is not there. What a kill leaves behind
        # then is swept by vacuum.
        self.files.remove(f"{segment.folder}/segment.json")
        shutil.rmtree(self.root / segment.folder, ignore_errors=True)
        return size

    def remove_merged(self) -> int:
        """Remove what is left of segments that another one stands for; returns the bytes."""
        return sum(self._drop(Segment(self.files, name)) for name in self.stood_for())

    @contextlib.contextmanager
    def session(self, config: CrawlConfig, *, threads: int | None = None) -> "Iterator[Session]":
        """A DuckDB session with the limits of the configuration. threads: at most so many."""
        from crawl_ops.storage.session import Session

        with Session(self.files, config, threads) as session:
            yield session

    def query(self, config: CrawlConfig, sql: str) -> Iterator[dict[str, Any]]:
        """The rows of one SELECT over the views (crawl_ops.storage.ask). Raises StoreError."""
        from crawl_ops.storage.ask import query

        return query(self, config, sql)

    @property
    def index_location(self) -> Path:
        return self.root / "index"


def _begin(files: LocalFiles) -> None:
    names = files.names("")
    if MARK not in names and (left := [name for name in names if name in KEYED]):
        raise StoreError(
            f"{files.root / MARK}: is missing, but {left[0]}/ is there; a new one would give every"
            " URL another key"
        )
    foreign = [name for name in names if name not in OURS]
    if foreign:
        raise StoreError(
            f"{files.root / foreign[0]}: foreign file; a new crawl wants an empty folder"
        )
    seed = secrets.randbits(63)
    try:
        files.root.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"{files.root}: {os_reason(error)}") from error
    # Two at once: one of the two makes the mark, both read it.
    files.create(MARK, json.dumps({"format": CRAWL_FORMAT, "seed": seed}).encode())


def _seed(files: LocalFiles) -> int:
    path = files.location(MARK)
    try:
        plain = json.loads(files.read(MARK))
        found, seed = plain["format"], int(plain["seed"])
    except (ValueError, KeyError, TypeError):
        raise StoreError(f"{path}: is no description of a crawl") from None
    if found != CRAWL_FORMAT:
        raise StoreError(
            f"{path}: format {found} is newer than this crawl_ops reads ({CRAWL_FORMAT})"
        )
    return seed
