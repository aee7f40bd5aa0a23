"""Nutch's index-metadata and index-static: fields from metadata, and the same in every document."""

from collections.abc import Iterable, Mapping, Sequence

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.index.document import Document, Record


class MetadataIndexer:
    """The keys of index.db.md, index.parse.md and index.content.md as fields of their names."""

    def __init__(self, config: CrawlConfig) -> None:
        self._db = config.index.db_md
        self._parse = config.index.parse_md
        self._content = config.index.content_md
        self._separator = config.index.metadata_separator
        self._multivalued = frozenset(config.index.metadata_multivalued_fields)

    def filter(self, document: Document, record: Record) -> Document:
        for name in self._db:
            self._add(document, name, _values(record.db_metadata, name))
        for name in self._parse:
            self._add(document, name, _values(record.parse_metadata, name))
        for name in self._content:
            wanted = name.lower()
            self._add(document, name, [v for key, v in record.headers if key.lower() == wanted])
        return document

    def _add(self, document: Document, name: str, values: Iterable[str]) -> None:
        for value in values:
            parts = [value]
            if self._separator and name in self._multivalued:
                parts = value.split(self._separator)
            for part in parts:
                document.add(name, part.strip())


class StaticFieldIndexer:
    """The fields of index.static, in every document."""

    def __init__(self, config: CrawlConfig) -> None:
        index = config.index
        self._fields: list[tuple[str, list[str]]] = []
        for entry in index.static.split(index.static_fieldsep):
            name, _, text = entry.partition(index.static_keysep)
            values = [v.strip() for v in text.strip().split(index.static_valuesep) if v.strip()]
            if name.strip() and values:
                self._fields.append((name.strip(), values))

    def filter(self, document: Document, record: Record) -> Document:
        del record
        for name, values in self._fields:
            for value in values:
                document.add(name, value)
        return document


def _values(metadata: Mapping[str, str | Sequence[str]], name: str) -> list[str]:
    value = metadata.get(name)
    if value is None:
        return []
    return [value] if isinstance(value, str) else [str(item) for item in value]
