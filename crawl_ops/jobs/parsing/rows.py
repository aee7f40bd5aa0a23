"""What parsing a content file gives, as columns of the parts."""

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any

from crawl_ops.jobs.parsing.content import COPIED, COPIED_DATA, Batch
from crawl_ops.jobs.parsing.outlinks import REJECTED, Judged
from crawl_ops.parse.page import Parsed
from crawl_ops.storage.link_batches import LinkBatches
from crawl_ops.storage.rows import RowBatches, joined
from crawl_ops.storage.texts import text_column

OF_PARSED = (
    "reason",
    "kind",
    "base_url",
    "charset",
    "language",
    "noindex",
    "nofollow",
    "noarchive",
    "outlinks_found",
)
"""Columns of parse_data that are fields of Parsed."""
_in_order = json.JSONEncoder(ensure_ascii=False, sort_keys=True).encode


class Rows:
    """Rows of all parts, some batches of content at a time."""

    def __init__(self, has_text: bool, now: datetime) -> None:
        self._has_text = has_text
        self._now = now
        self.links = LinkBatches()
        self.rejected = RowBatches("rejected")
        self.parse_data = RowBatches("parse_data")
        self.parse_text = RowBatches("parse_text")

    def add(self, batches: Sequence[Batch], judged: Sequence[Judged]) -> None:
        """What became of batches, and of the links of their pages."""
        copied = {
            name: joined([one.copied.column(name) for one in batches]) for name in COPIED_DATA
        }
        answers = [answer for batch in batches for answer in batch.answers]
        content_types = [row.content_type for batch in batches for row in batch.rows]
        pages = [answer.parsed for answer in answers]
        self.parse_data.add({**copied, **_data_columns(content_types, pages, judged)})
        if self._has_text:
            copied = {name: copied[name] for name in COPIED}
            self.parse_text.add(
                {**copied, "text": text_column([answer.text for answer in answers])}
            )
        rejected = [row for one in judged for row in one.rejected]
        if rejected:
            columns = dict(zip(REJECTED, zip(*rejected, strict=True), strict=True))
            self.rejected.add({**columns, "step": "parse", "time": self._now})
        self.links.flush()


def _data_columns(
    content_types: Sequence[str | None], pages: Sequence[Parsed], judged: Sequence[Judged]
) -> Mapping[str, list[Any]]:
    """The columns of parse_data that content has not."""
    return {
        **{name: [getattr(parsed, name) for parsed in pages] for name in OF_PARSED},
        "parse_status": [parsed.status for parsed in pages],
        "title": [parsed.title or None for parsed in pages],
        "content_type": [
            parsed.content_type or fetched
            for parsed, fetched in zip(pages, content_types, strict=True)
        ],
        "signature": [parsed.signature or None for parsed in pages],
        "metadata": [_in_order(parsed.metadata) if parsed.metadata else None for parsed in pages],
        "canonical_url": [one.canonical_url for one in judged],
        "refresh_url": [one.refresh_url for one in judged],
        "outlinks_kept": [one.outlinks for one in judged],
        "outlinks_rejected": [
            _counts((parsed.rejected, one.counts))
            for parsed, one in zip(pages, judged, strict=True)
        ],
    }


def _counts(several: Iterable[Mapping[str, int]]) -> str | None:
    """The sums of counts by rule, as JSON; None if all are none."""
    sums: dict[str, int] = {}
    for counts in several:
        for rule, number in counts.items():
            sums[rule] = sums.get(rule, 0) + number
    told = tuple(sorted((rule, number) for rule, number in sums.items() if number > 0))
    return _told(told) if told else None


@lru_cache(maxsize=10_000)
def _told(counts: tuple[tuple[str, int], ...]) -> str:
    return json.dumps(dict(counts))
