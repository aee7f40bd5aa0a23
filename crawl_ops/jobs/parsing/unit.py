"""Parsing one content part file into the part files of parse_data, parse_text and crawl_parse."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Any

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.jobs.parsing.content import READ, Batch, pages_of
from crawl_ops.jobs.parsing.outlinks import Judged, OutlinkJudge
from crawl_ops.jobs.parsing.rows import Rows
from crawl_ops.parse.answer import Answer
from crawl_ops.parse.page import Page
from crawl_ops.parse.pool import ParserPool
from crawl_ops.storage.segment import PARSED, PartFile, Segment

READ_BYTES = 2 << 20
READ_ROWS = 256
HELD_BYTES = 6_000_000
"""Of text and links that are judged and written at once."""


@dataclass(slots=True)
class Unit:
    """What parsing works with: made once a job."""

    config: CrawlConfig
    segment: Segment
    pool: ParserPool
    judge: OutlinkJudge
    now: datetime
    each: Callable[[int], None]

    def parse(self, file: PartFile) -> None:
        """Parse a content file. Its parse_data file is written last: then the file is done."""
        rows = Rows(self.config.parser.store_text, self.now)
        with (
            self.segment.open_part(file, "content") as parquet,
            self.segment.part_writer("parse_text", file.list, file.stem) as texts,
        ):
            for batches in _by_size(self._answered(parquet)):
                rows.add(batches, self._judged(batches, rows))
                texts.write(rows.parse_text.take())
            if self.config.parser.store_text:
                texts.publish()
        linked = file.stem + PARSED
        if rows.links:
            self.segment.write_tables("crawl_parse", file.list, linked, rows.links.tables())
        if (rejected := rows.rejected.table()).num_rows:
            self.segment.write_table("rejected", file.list, linked, rejected)
        self.segment.write_table("parse_data", file.list, file.stem, rows.parse_data.table())

    def _judged(self, batches: Sequence[Batch], rows: Rows) -> list[Judged]:
        judge, now, links = self.judge, self.now, rows.links
        judge.prepare(answer for batch in batches for answer in batch.answers)
        return [
            judge.judge(row, answer, now, links)
            for batch in batches
            for row, answer in zip(batch.rows, batch.answers, strict=True)
        ]

    def _answered(self, parquet: Any) -> Iterator[Batch]:
        """Batches of content, with what their pages came to."""
        ahead: deque[Batch] = deque()  # whose answers are not there yet

        def pages() -> Iterator[Page]:
            for found in parquet.iter_batches(
                _rows_at_once(parquet), columns=list(READ), use_threads=False
            ):
                if found.num_rows:
                    ahead.append(Batch.of(found))
                    yield from pages_of(found)

        results = self._counted(self.pool.parse_all(pages()))
        for first in results:
            batch = ahead.popleft()
            batch.answers = [first, *islice(results, len(batch.rows) - 1)]
            yield batch

    def _counted(self, answers: Iterator[Answer]) -> Iterator[Answer]:
        for answer in answers:
            self.each(1)
            yield answer


def _by_size(batches: Iterable[Batch]) -> Iterator[list[Batch]]:
    """Batches that together have a good deal of text and links."""
    held: list[Batch] = []
    size = 0
    for batch in batches:
        held.append(batch)
        size += batch.size
        if size >= HELD_BYTES:
            yield held
            held, size = [], 0
    if held:
        yield held


def _rows_at_once(parquet: Any) -> int:
    """Rows of some megabytes: with http.content.limit = -1 a page may have many."""
    about = parquet.metadata
    size = sum(about.row_group(number).total_byte_size for number in range(about.num_row_groups))
    rows: int = READ_BYTES * about.num_rows // max(size, 1)
    return max(1, min(READ_ROWS, rows))
