"""From what the crawl knows of one page to the document that goes to the index."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

FieldValue = str | list[str] | float | datetime


@dataclass(slots=True)
class Record:
    """What the crawl knows of one page, as the index job reads it from its tables.

    Times are UTC. `score` is the crawldb's. `signature` is hex. `headers` are the response's.
    `parse_metadata` and `db_metadata` may hold one value or several under a key.
    """

    url: str
    host: str
    domain: str
    title: str | None
    text: str | None
    fetch_time: datetime
    modified_time: datetime | None = None
    score: float = 1.0
    repr_url: str | None = None
    signature: str | None = None
    segment: str | None = None
    content_type: str | None = None
    language: str | None = None
    noarchive: bool = False
    anchors: Sequence[str] = ()
    parse_metadata: Mapping[str, str | Sequence[str]] = field(default_factory=dict)
    db_metadata: Mapping[str, str | Sequence[str]] = field(default_factory=dict)
    headers: Sequence[tuple[str, str]] = ()


@dataclass(slots=True)
class Document:
    """What index writers take: fields under Nutch's names. `id` is the page's URL."""

    id: str
    fields: dict[str, FieldValue] = field(default_factory=dict)
    boost: float = 1.0

    def add(self, name: str, value: FieldValue | None) -> None:
        """Add a value; a field that is there already gets several. Empty ones are left out."""
        if value is None or value in ("", []):
            return
        old = self.fields.get(name)
        if old is None:
            self.fields[name] = value
        else:
            self.fields[name] = [*_texts(old), *_texts(value)]


class IndexingFilter(Protocol):
    """A plug of indexingfilter.order: a class made with the configuration."""

    def filter(self, document: Document, record: Record) -> Document | None:
        """The document with fields added or changed; None drops it."""
        ...


def _texts(value: FieldValue) -> list[str]:
    if isinstance(value, list):
        return value
    return [value.isoformat() if isinstance(value, datetime) else str(value)]
