"""The crawl folder: one crawl with its tables, segments and index."""

import contextlib
import json
import os
import re
import secrets
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.errors import NotFoundError, StoreError, os_reason
from crawl_ops.storage.files import LocalFiles
from crawl_ops.storage.segment import Segment
from crawl_ops.storage.session import Session
from crawl_ops.storage.table import VersionedTable

CRAWL_FORMAT = 1
MARK = "crawl.json"
TABLES = ("crawldb", "linkdb", "hostdb")
KEYED = {*TABLES, "segments", "index", "runs"}
OURS = {MARK, *TABLES, "segments", "index", "runs", "scratch", "views.sql"}


_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):/")  # of a Path too, which has lost a slash


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
            if not create:
                raise NotFoundError(f"{root}: there is no crawl here")
            _begin(files)
        return cls(files, _seed(files))

    @property
    def root(self) -> Path:
        return self.files.root

    def check_writable(self) -> None:
        """Raises StoreError naming the folder if nothing can be written to it."""
        probe = f"scratch/aside/{uuid.uuid4().hex}.probe"
        self.files.put(probe, b"")
        self.files.remove(probe)

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
            raise NotFoundError(f"there is no segment {name}")
        return segment

    def new_segment(self, name: str) -> Segment:
        """The files of a segment that generate is about to write."""
        return Segment(self.files, name)

    def segments(self) -> list[str]:
        """Names of all segments, oldest first."""
        names = self.files.names("segments")
        return [name for name in names if self.files.exists(f"segments/{name}/segment.json")]

    @contextlib.contextmanager
    def session(self, config: CrawlConfig) -> Iterator[Session]:
        """A DuckDB session with the limits of the configuration."""
        with Session(self.files, config) as session:
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
