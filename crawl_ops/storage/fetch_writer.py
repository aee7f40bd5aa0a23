"""Streams what a fetch brings to part files, so that a kill loses next to nothing.

Records go to a journal at once and to Parquet when a part is full. `crawl_fetch` is written last
of a part's files: a URL counts as fetched when its row there can be seen.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.storage.journal import Journal, LeftJournal
from crawl_ops.storage.segment import Segment

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


class FetchWriter:
    """The part files of one attempt at one fetch list. Not thread-safe."""

    def __init__(self, segment: Segment, number: int, attempt: str, config: CrawlConfig) -> None:
        self._segment = segment
        self._list = number
        self._attempt = attempt
        self._bytes_limit = config.fetcher.part_bytes
        self._seconds_limit = config.fetcher.part_seconds
        self._part = 0
        self._rows: dict[str, list[Mapping[str, Any]]] = {name: [] for name in WRITTEN}
        self._since: float | None = None
        self._journal: Journal | None = None

    def add(self, record: FetchRecord, now: float) -> None:
        """Take a record in. `now` is in seconds and only ever grows."""
        if self._journal is None:
            folder = self._segment.journal_folder(self._list)
            self._journal = Journal(folder / f"{self._stem()}.journal")
            self._since = now
        self._journal.append(record)
        for name in WRITTEN:
            self._rows[name].extend(getattr(record, name))
        if self._journal.bytes >= self._bytes_limit:
            self.roll()

    def tick(self, now: float) -> None:
        """Finish the open part if its time is up."""
        if self._since is not None and now - self._since >= self._seconds_limit:
            self.roll()

    def roll(self) -> None:
        """Finish the open part: Parquet first, then the journal goes."""
        if self._journal is None:
            return
        write_parts(self._segment, self._list, self._stem(), self._rows)
        self._journal.remove()
        self._journal, self._since = None, None
        self._part += 1
        self._rows = {name: [] for name in WRITTEN}

    def abandon(self) -> None:
        """Write no more; the journal of the open part is left for the next attempt."""
        if self._journal is not None:
            self._journal.close()
            self._journal = None

    def _stem(self) -> str:
        return f"{self._attempt}.{self._part:04}"


def write_parts(
    segment: Segment, number: int, stem: str, rows: Mapping[str, Sequence[Mapping[str, Any]]]
) -> None:
    """Write the parts of a record's rows, crawl_fetch last."""
    for name in WRITTEN:
        found = rows[name]
        ordered = sorted(found, key=_by_slot) if name == "crawl_parse" else found
        segment.write_part(name, number, stem, ordered)


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
