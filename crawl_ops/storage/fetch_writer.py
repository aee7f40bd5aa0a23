"""Streams what a fetch brings to part files, so that a kill loses next to nothing.

Records go to a journal at once and to Parquet when a part is full. `crawl_fetch` is written last
of a part's files: a URL counts as fetched when its row there can be seen.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.storage.journal import Journal, LeftJournal
from crawl_ops.storage.schema import table_of
from crawl_ops.storage.segment import Segment

RUN_BYTES = 16 << 20
WRITTEN = ("content", "crawl_parse", "rejected", "robots", "crawl_fetch")


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


class _OpenPart:
    """The rows of a part that is being filled, and their journal."""

    def __init__(self, segment: Segment, number: int, stem: str, now: float) -> None:
        self._segment = segment
        self._list = number
        self._stem = stem
        self._rows: dict[str, list[Mapping[str, Any]]] = {name: [] for name in WRITTEN}
        self.since = now
        self.journal = Journal(segment.journal_folder(number) / f"{stem}.journal")

    def add(self, record: FetchRecord) -> None:
        self.journal.append(record)
        for name in WRITTEN:
            self._rows[name].extend(getattr(record, name))

    def write(self) -> None:
        """Parquet first, then the journal goes; if that fails, the journal is for the next one."""
        try:
            write_parts(self._segment, self._list, self._stem, self._rows)
            self.journal.remove()
        finally:
            self.journal.close()


def at_once(write: Callable[[], None]) -> None:
    """Has a full part written before anything else."""
    write()


class FetchWriter:
    """The part files of one attempt at one fetch list. Not thread-safe.

    finish: has a full part written, now or by another thread. Raises StoreError if it, or an
    earlier one, failed.
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
        """Write no more; the journal of the open part is left for the next attempt."""
        if self._open is not None:
            self._open.journal.close()
            self._open = None


def write_parts(
    segment: Segment, number: int, stem: str, rows: Mapping[str, Sequence[Mapping[str, Any]]]
) -> None:
    """Write the parts of a record's rows, crawl_fetch last."""
    for name in WRITTEN:
        found = rows[name]
        if name == "content" and found:
            tables = (table_of(name, some) for some in _runs(found))
            segment.write_tables(name, number, stem, tables)
        else:
            ordered = sorted(found, key=_by_slot) if name == "crawl_parse" else found
            segment.write_part(name, number, stem, ordered)


def _runs(rows: Sequence[Mapping[str, Any]]) -> Iterator[Sequence[Mapping[str, Any]]]:
    """Content rows some at a time, so that they are in memory twice only in part."""
    start = size = 0
    for at, row in enumerate(rows, 1):
        size += len(row["content"])
        if size >= RUN_BYTES or at == len(rows):
            yield rows[start:at]
            start, size = at, 0


def _by_slot(row: Mapping[str, Any]) -> tuple[int, int]:
    return row["slot"], row["k"]


def recover(segment: Segment, number: int) -> int:
    """Finish the parts that killed attempts left open; returns the crawl_fetch rows regained."""
    recovered = 0
    for path in sorted(segment.journal_folder(number).glob("*.journal")):
        with LeftJournal(path) as left:
            if left.held:
                recovered += _finish(segment, number, left)
    return recovered


def _finish(segment: Segment, number: int, left: LeftJournal) -> int:
    rows: dict[str, list[Mapping[str, Any]]] = {name: [] for name in WRITTEN}
    for record in left.records(FetchRecord):
        for name in WRITTEN:
            rows[name].extend(getattr(record, name))
    write_parts(segment, number, left.path.stem, rows)
    left.remove()
    return len(rows["crawl_fetch"])


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
