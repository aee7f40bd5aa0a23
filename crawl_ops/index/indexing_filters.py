"""The chain of indexing filters (indexingfilter.order) that fills a document."""

import math
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.index.basic import AnchorIndexingFilter, BasicIndexingFilter, LanguageIndexingFilter
from crawl_ops.index.characters import xml_text
from crawl_ops.index.document import Document, FieldValue, IndexingFilter, Record
from crawl_ops.index.metadata import MetadataIndexer, StaticFieldIndexer
from crawl_ops.index.more import MoreIndexingFilter
from crawl_ops.plugins import load_plug, make_plug, plain_text, told

_PROPERTY = "indexingfilter.order"
_BUILT_IN: dict[str, type] = {
    "basic": BasicIndexingFilter,
    "anchor": AnchorIndexingFilter,
    "more": MoreIndexingFilter,
    "metadata": MetadataIndexer,
    "static": StaticFieldIndexer,
    "language": LanguageIndexingFilter,
}


@dataclass(frozen=True, slots=True)
class Indexed:
    """A document, or the filter that dropped it and why."""

    document: Document | None
    rejected_by: str | None = None  # the plug's name in indexingfilter.order
    reason: str | None = None
    failed: bool = False  # the filter raised; it did not decide


class IndexingFilters:
    """Makes documents of records. Without state after its making: one may serve many threads."""

    def __init__(self, config: CrawlConfig) -> None:
        """Load the plugs of indexingfilter.order; ConfigError for one that cannot be loaded."""
        self._score_power = config.indexer.score_power
        self._filters: list[tuple[str, IndexingFilter]] = [
            (name, _made(name, config)) for name in config.indexer.indexingfilter_order
        ]

    def document(self, record: Record) -> Indexed:
        """The document of a record. A filter that raises drops its page, as in Nutch."""
        document: Document | None = self._started(record)
        for name, plug in self._filters:
            try:
                document = plug.filter(document, record) if document else None
            except (KeyboardInterrupt, GeneratorExit):
                raise
            except BaseException as error:  # noqa: BLE001  (somebody's plug may raise anything)
                return Indexed(None, name, told(error)[:500], failed=True)
            if document is None:
                return Indexed(None, name, "dropped by the filter")
        if document is not None:
            _clean_fields(document)
        return Indexed(document)

    def _started(self, record: Record) -> Document:
        document = Document(record.url, boost=boost(record.score, self._score_power))
        document.add("id", record.url)
        document.add("segment", record.segment)
        document.add("digest", record.signature)
        document.add("boost", str(document.boost))
        return document


def _made(name: str, config: CrawlConfig) -> IndexingFilter:
    plug = load_plug(_PROPERTY, name, _BUILT_IN, config.plugin.folders)
    made: IndexingFilter = make_plug(_PROPERTY, name, partial(plug, config))
    return made if name in _BUILT_IN else _OwnFilter(made)


class _OwnFilter:
    """Somebody's filter, whose documents are checked."""

    def __init__(self, own: IndexingFilter) -> None:
        self._own = own

    def filter(self, document: Document, record: Record) -> Document | None:
        found = self._own.filter(document, record)
        if found is not None:
            if not isinstance(found, Document):
                raise TypeError(f"gave {type(found).__name__}, not Document")
            found.id = plain_text(found.id)
            _clean_fields(found)
        return found


def boost(score: float, power: float) -> float:
    """The document's boost: score ** indexer.score.power (Nutch's indexerScore), never NaN."""
    if not math.isfinite(score) or score <= 0:
        return 0.0 if power > 0 else 1.0
    return float(score**power)


def _clean_fields(document: Document) -> None:
    document.fields = {xml_text(name): _clean(value) for name, value in document.fields.items()}


def _clean(value: FieldValue) -> FieldValue:
    if isinstance(value, str):
        return xml_text(value)
    if isinstance(value, float | int | datetime):
        return value
    return [xml_text(str(item)) for item in value]
