"""Rows of content files, as parsing reads them."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import msgspec

from crawl_ops.parse.answer import Answer
from crawl_ops.parse.page import Page

LINK_BYTES = 200
_decoder = msgspec.json.Decoder(list[tuple[str, str]])
COPIED = ("k", "slot", "url", "attempt")
"""Columns that what is made of a row has too."""
COPIED_DATA = (*COPIED, "fetch_time", "truncated")
OF_PAGES = ("url", "content", "base_url", "content_type", "charset_hint", "headers", "truncated")
READ = tuple(dict.fromkeys((*COPIED_DATA, *OF_PAGES, "fetch_time", "score", "depth", "max_depth")))


class ContentRow(NamedTuple):
    """What is needed of a content row when its page is parsed."""

    url: str
    attempt: str
    content_type: str | None
    score: float
    depth: int | None
    max_depth: int | None


@dataclass(slots=True)
class Batch:
    """Rows that lie together in a content file."""

    copied: Any
    """The columns COPIED_DATA, as Arrow."""
    rows: Sequence[ContentRow]
    answers: Sequence[Answer] = ()
    """What their pages came to, when that is known."""

    @classmethod
    def of(cls, batch: Any) -> "Batch":
        """An Arrow batch of the columns READ."""
        columns = (batch.column(name).to_pylist() for name in ContentRow._fields)
        rows = list(map(ContentRow._make, zip(*columns, strict=True)))
        return cls(batch.select(list(COPIED_DATA)), rows)

    @property
    def size(self) -> int:
        """About how many bytes of text and links there are."""
        texts = sum(len(answer.text) for answer in self.answers)
        return texts + LINK_BYTES * sum(len(answer.links.urls) for answer in self.answers)


def pages_of(batch: Any) -> Iterator[Page]:
    """What the parsers see of an Arrow batch."""
    columns = (batch.column(name).to_pylist() for name in (*OF_PAGES, "fetch_time"))
    for url, content, base_url, content_type, hint, headers, cut, time in zip(
        *columns, strict=True
    ):
        yield Page(url, content, base_url, content_type, hint, _pairs(headers), cut, time)


def _pairs(headers: str | None) -> list[tuple[str, str]]:
    if not headers:
        return []
    try:
        return _decoder.decode(headers)
    except msgspec.DecodeError:  # of half a pair of surrogates, which json takes
        return [(name, value) for name, value in json.loads(headers)]
