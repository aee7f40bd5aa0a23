"""Parsing one content part file into the part files of parse_data, parse_text and crawl_parse."""

import json
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.jobs.parsing.outlinks import Judged, OutlinkJudge
from crawl_ops.parse.page import Page, Parsed
from crawl_ops.parse.pool import ParserPool
from crawl_ops.storage.link_batches import LinkBatches
from crawl_ops.storage.rows import RowBatches
from crawl_ops.storage.segment import PARSED, PartFile, Segment

READ = (
    "k",
    "slot",
    "url",
    "attempt",
    "base_url",
    "fetch_time",
    "content_type",
    "charset_hint",
    "headers",
    "content",
    "truncated",
    "score",
    "depth",
    "max_depth",
)

READ_BYTES = 2 << 20
READ_ROWS = 256
FLUSH_CHARACTERS = 4_000_000
"""Of text and links that are Python's: as Arrow they take a third."""
LINK_CHARACTERS = 200


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
        rows = Rows()
        with (
            self.segment.open_part(file, "content") as parquet,
            self.segment.part_writer("parse_text", file.list, file.stem) as texts,
        ):
            batches = parquet.iter_batches(_rows_at_once(parquet), columns=list(READ))
            content = (row for batch in batches for row in batch.to_pylist())
            for _ in self._parse_rows(content, rows):
                rows.flush()
                texts.write(rows.parse_text.take())
            if self.config.parser.store_text:
                texts.publish()
        linked = file.stem + PARSED
        self._write("crawl_parse", file.list, linked, rows.links.table())
        self._write("rejected", file.list, linked, rows.rejected.table())
        self.segment.write_table("parse_data", file.list, file.stem, rows.parse_data.table())

    def _write(self, part: str, number: int, stem: str, table: Any) -> None:
        if table.num_rows:
            self.segment.write_table(part, number, stem, table)

    def _parse_rows(self, content: Iterable[dict[str, Any]], rows: "Rows") -> Iterator[None]:
        """Fill `rows`; stops whenever they hold a good deal, and at the end."""
        ahead: deque[dict[str, Any]] = deque()  # rows whose results are not there yet
        results = self.pool.parse_all(page_of(row) for row in _noted(content, ahead))
        held = 0
        for parsed in results:
            row = ahead.popleft()
            judged = self.judge.judge(row, parsed, self.now)
            rows.links.add(judged.source, judged.kept)
            rows.rejected.rows.extend(judged.rejected)
            rows.parse_data.rows.append(data_row(row, parsed, judged))
            if self.config.parser.store_text:
                rows.parse_text.rows.append(text_row(row, parsed))
            self.each(1)
            held += len(parsed.text) + LINK_CHARACTERS * len(judged.kept)
            if held >= FLUSH_CHARACTERS:
                yield
                held = 0
        yield


def _rows_at_once(parquet: Any) -> int:
    """Rows of some megabytes: with http.content.limit = -1 a page may have many."""
    about = parquet.metadata
    size = sum(about.row_group(number).total_byte_size for number in range(about.num_row_groups))
    rows: int = READ_BYTES * about.num_rows // max(size, 1)
    return max(1, min(READ_ROWS, rows))


def _noted(
    content: Iterable[dict[str, Any]], ahead: deque[dict[str, Any]]
) -> Iterator[dict[str, Any]]:
    for row in content:
        ahead.append(row)
        yield row


class Rows:
    """What one content file gives, by part."""

    def __init__(self) -> None:
        self.links = LinkBatches()
        self.rejected = RowBatches("rejected")
        self.parse_data = RowBatches("parse_data")
        self.parse_text = RowBatches("parse_text")

    def flush(self) -> None:
        """Turn the rows so far into Arrow."""
        for batches in (self.links, self.rejected, self.parse_data, self.parse_text):
            batches.flush()


def page_of(row: dict[str, Any]) -> Page:
    """What the parsers see of a content row."""
    return Page(
        url=row["url"],
        content=row["content"],
        base_url=row["base_url"],
        content_type=row["content_type"],
        charset_hint=row["charset_hint"],
        headers=[(name, value) for name, value in json.loads(row["headers"] or "[]")],
        truncated=row["truncated"],
        fetch_time=row["fetch_time"],
    )


def data_row(row: dict[str, Any], parsed: Parsed, judged: Judged) -> dict[str, Any]:
    """The parse_data row of a page."""
    rejected = Counter(parsed.rejected) + judged.counts
    return {
        **{name: row[name] for name in ("k", "slot", "url", "attempt", "fetch_time", "truncated")},
        "parse_status": parsed.status,
        "reason": parsed.reason,
        "kind": parsed.kind,
        "title": parsed.title or None,
        "base_url": parsed.base_url,
        "content_type": parsed.content_type or row["content_type"],
        "charset": parsed.charset,
        "language": parsed.language,
        "canonical_url": judged.canonical_url,
        "refresh_url": judged.refresh_url,
        "noindex": parsed.noindex,
        "nofollow": parsed.nofollow,
        "noarchive": parsed.noarchive,
        "outlinks_found": parsed.outlinks_found,
        "outlinks_kept": judged.outlinks,
        "outlinks_rejected": json.dumps(dict(sorted(rejected.items()))) if rejected else None,
        "signature": parsed.signature or None,
        "metadata": json.dumps(parsed.metadata, ensure_ascii=False, sort_keys=True)
        if parsed.metadata
        else None,
    }


def text_row(row: dict[str, Any], parsed: Parsed) -> dict[str, Any]:
    """The parse_text row of a page."""
    return {**{name: row[name] for name in ("k", "slot", "url", "attempt")}, "text": parsed.text}
