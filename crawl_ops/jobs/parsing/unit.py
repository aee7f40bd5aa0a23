"""Parsing one content part file into the part files of parse_data, parse_text and crawl_parse."""

import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.jobs.parsing.outlinks import Judged, OutlinkJudge, kept_outlinks
from crawl_ops.model import LinkKind
from crawl_ops.parse.page import Page, Parsed
from crawl_ops.parse.pool import ParserPool
from crawl_ops.storage.rows import RowBatches
from crawl_ops.storage.segment import PARSED, PartFile, Segment

WRITTEN = ("parse_text", "crawl_parse", "rejected", "parse_data")


@dataclass(slots=True)
class Unit:
    """What parsing works with: made once a job."""

    config: CrawlConfig
    segment: Segment
    pool: ParserPool
    judge: OutlinkJudge
    now: datetime
    each: Callable[[int], None]
    counts: Counter[str] = field(default_factory=Counter)

    def parse(self, file: PartFile) -> None:
        """Parse a content file. Its parse_data file is written last: then the file is done."""
        batches = {name: RowBatches(name) for name in WRITTEN}
        with self.segment.open_part(file, "content") as parquet:
            for number in range(parquet.num_row_groups):
                rows = parquet.read_row_group(number).to_pylist()
                self._parse_rows(rows, batches)
                for batch in batches.values():
                    batch.flush()
        for name in WRITTEN:
            self._write(name, file, batches[name])

    def _write(self, name: str, file: PartFile, batches: RowBatches) -> None:
        stem = file.stem + (PARSED if name in ("crawl_parse", "rejected") else "")
        table = batches.table(
            by=("slot", "k", "from_url", "position") if name == "crawl_parse" else ()
        )
        if table.num_rows or name == "parse_data":
            self.segment.write_table(name, file.list, stem, table)

    def _parse_rows(self, rows: Sequence[dict[str, Any]], batches: dict[str, RowBatches]) -> None:
        results = self.pool.parse_all(page_of(row) for row in rows)
        for row, parsed in zip(rows, results, strict=True):
            judged = self.judge.judge(row, parsed, self.now)
            batches["crawl_parse"].rows.extend(judged.kept)
            batches["rejected"].rows.extend(judged.rejected)
            batches["parse_data"].rows.append(data_row(row, parsed, judged))
            if self.config.parser.store_text:
                batches["parse_text"].rows.append(text_row(row, parsed))
            self.counts[parsed.status] += 1
            self.counts["outlinks"] += len(judged.kept)
            self.each(1)


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
    further = {link["kind"]: link["to_url"] for link in judged.kept if link["position"] == -1}
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
        "canonical_url": further.get(LinkKind.CANONICAL)
        or (row["url"] if parsed.canonical_url else None),
        "refresh_url": further.get(LinkKind.REFRESH),
        "noindex": parsed.noindex,
        "nofollow": parsed.nofollow,
        "noarchive": parsed.noarchive,
        "outlinks_found": parsed.outlinks_found,
        "outlinks_kept": sum(1 for _ in kept_outlinks(judged)),
        "outlinks_rejected": json.dumps(dict(sorted(rejected.items()))) if rejected else None,
        "signature": parsed.signature or None,
        "metadata": json.dumps(parsed.metadata, ensure_ascii=False, sort_keys=True)
        if parsed.metadata
        else None,
    }


def text_row(row: dict[str, Any], parsed: Parsed) -> dict[str, Any]:
    """The parse_text row of a page."""
    return {**{name: row[name] for name in ("k", "slot", "url", "attempt")}, "text": parsed.text}
