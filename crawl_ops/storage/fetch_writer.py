"""Streams what a fetch brings to part files, so that a kill loses next to nothing.

Records go to a journal at once, their content to Parquet RUN_BYTES at a time. The files of a part
get their names when it is full, `crawl_fetch` last: a URL counts as fetched when its row there can
be seen.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import pyarrow as pa

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.storage.journal import Journal, LeftJournal
from crawl_ops.storage.part_writer import PartWriter
from crawl_ops.storage.schema import table_of
from crawl_ops.storage.segment import Segment

RUN_BYTES = 2 << 20
ROW_BYTES = 4_096  # of a record beside its content, as Python has it
KEPT = ("rejected", "robots", "crawl_fetch")
WRITTEN = ("content", "crawl_parse", *KEPT)


@dataclass(slots=True)
class FetchRecord:
    """Rows that belong together, by part. Times are datetimes in UTC."""

    crawl_fetch: list[dict[str, Any]] = field(default_factory=list)
    content: list[dict[str, Any]] = field(default_factory=list)
    crawl_parse: list[dict[str, Any]] = field(default_factory=list)
    rejected: list[dict[str, Any]] = field(default_factory=list)
    robots: list[dict[str, Any]] = field(default_factory=list)

    def parts(self) -> tuple[list[dict[str, Any]], ...]:
        """The rows of each part."""
        return self.content, self.crawl_parse, self.rejected, self.robots, self.crawl_fetch


Run = dict[str, list[Mapping[str, Any]]]


class _Rows:
    """The rows of one part: content is written a run at a time, the rest is kept as Arrow till the
    end.

    `add` and `full_run` belong to one thread, what converts and writes to another.
    """

    def __init__(self, segment: Segment, number: int, stem: str) -> None:
        self._segment = segment
        self._list = number
        self._stem = stem
        self._run = _empty_run()
        self._run_bytes = 0
        self._links: list[Mapping[str, Any]] = []
        self._tables: dict[str, list[pa.Table]] = {name: [] for name in KEPT}
        self._content: PartWriter | None = None

    def add(self, record: FetchRecord) -> None:
        run = self._run
        for name in WRITTEN:
            run[name].extend(getattr(record, name))
        self._run_bytes += sum(len(row["content"]) for row in record.content) + ROW_BYTES

    def full_run(self) -> Run | None:
        """Rows that it is time to write."""
        if self._run_bytes < RUN_BYTES:
            return None
        run, self._run, self._run_bytes = self._run, _empty_run(), 0
        return run

    def take_in(self, run: Run) -> None:
        """Write the content of a run, keep what else there is."""
        if run["content"]:
            if self._content is None:
                self._content = self._segment.part_writer("content", self._list, self._stem)
            self._content.write(table_of("content", run["content"]))
        self._links += run["crawl_parse"]
        for name, tables in self._tables.items():
            if run[name]:
                tables.append(table_of(name, run[name]))

    def write(self) -> None:
        """Write what is left, crawl_fetch last."""
        self.take_in(self._run)
        if self._content is not None:
            self._content.publish()
        links = sorted(self._links, key=lambda row: (row["slot"], row["k"]))
        self._segment.write_part("crawl_parse", self._list, self._stem, links)
        for name, tables in self._tables.items():
            if tables:
                table = pa.concat_tables(tables)
                self._segment.write_table(name, self._list, self._stem, table)

    def discard(self) -> None:
        if self._content is not None:
            self._content.discard()


def _empty_run() -> Run:
    return {name: [] for name in WRITTEN}


class _OpenPart:
    """A part that is being filled, and its journal."""

    def __init__(self, segment: Segment, number: int, stem: str, now: float) -> None:
        self.rows = _Rows(segment, number, stem)
        self.since = now
        self.journal = Journal(segment.journal_folder(number) / f"{stem}.journal")

    def add(self, record: FetchRecord) -> None:
        self.journal.append(record)
        self.rows.add(record)

    def write(self) -> None:
        """Parquet first, then the journal goes; if that fails, the journal is for the next one."""
        try:
            self.rows.write()
            self.journal.remove()
        finally:
            self.abandon()

    def abandon(self) -> None:
        self.journal.close()
        self.rows.discard()


def at_once(write: Callable[[], None]) -> None:
    """Has something written before anything else."""
    write()


class FetchWriter:
    """The part files of one attempt at one fetch list. Not thread-safe.

    finish: has something written, in the order given, now or by another thread. Raises StoreError
    if it, or an earlier one, failed.
    """

    def __init__(
        self,
        segment: Segment,
        number: int,
        attempt: str,
        config: CrawlConfig,
        finish: Callable[[Callable[[], None]], None] = at_once,
    ) -> None:
        self._segment = segment
        self._list = number
        self._attempt = attempt
        self._bytes_limit = config.fetcher.part_bytes
        self._seconds_limit = config.fetcher.part_seconds
        self._finish = finish
        self._count = 0
        self._open: _OpenPart | None = None

    def add(self, record: FetchRecord, now: float) -> None:
        """Take a record in: it is in the journal then. `now` is in seconds and only ever grows."""
        if self._open is None:
            stem = f"{self._attempt}.{self._count:04}"
            self._open = _OpenPart(self._segment, self._list, stem, now)
            self._count += 1
        self._open.add(record)
        if run := self._open.rows.full_run():
            self._finish(partial(self._open.rows.take_in, run))
        if self._open.journal.bytes >= self._bytes_limit:
            self.roll()

    def tick(self, now: float) -> None:
        """Finish the open part if its time is up."""
        if self._open is not None and now - self._open.since >= self._seconds_limit:
            self.roll()

    def roll(self) -> None:
        """Finish the open part."""
        if self._open is not None:
            self._finish(self._open.write)
            self._open = None

    def abandon(self) -> None:
        """Write no more; the journal of the open part is left for the next attempt.

        Called when nothing is being written by another thread.
        """
        if self._open is not None:
            self._open.abandon()
            self._open = None


def recover(segment: Segment, number: int) -> int:
    """Finish the parts that killed attempts left open; returns the crawl_fetch rows regained."""
    recovered = 0
    for path in sorted(segment.journal_folder(number).glob("*.journal")):
        with LeftJournal(path) as left:
            if left.held:
                recovered += _finish(segment, number, left)
    return recovered


def _finish(segment: Segment, number: int, left: LeftJournal) -> int:
    rows = _Rows(segment, number, left.path.stem)
    regained = 0
    try:
        for record in left.records(FetchRecord):
            rows.add(record)
            regained += len(record.crawl_fetch)
            if run := rows.full_run():
                rows.take_in(run)
        rows.write()
    finally:
        rows.discard()
    left.remove()
    return regained


def fetched_keys(segment: Segment, number: int) -> set[int]:
    """The keys of a list that are done already."""
    files = segment.part_files("crawl_fetch", [number])
    tables = [segment.read_part(file, "crawl_fetch", ["k"]) for file in files]
    columns = [table.column("k").to_pylist() for table in tables]
    return {k for column in columns for k in column if k is not None}


def open_redirects(segment: Segment, number: int) -> list[dict[str, Any]]:
    """The crawl_fetch rows of a list that name a target by redirect_url."""
    files = segment.part_files("crawl_fetch", [number])
    tables = [segment.read_part(file, "crawl_fetch") for file in files]
    return [
        row
        for table in tables
        for row in table.filter(table.column("redirect_url").is_valid()).to_pylist()
    ]
