"""Nutch's index-basic and index-anchor, and the language field."""

from urllib.parse import urlsplit

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.index.characters import xml_text
from crawl_ops.index.document import Document, Record


class BasicIndexingFilter:
    """host, url, content, title, cache, tstamp, and domain if asked for."""

    def __init__(self, config: CrawlConfig) -> None:
        self._title_length = config.indexer.max_title_length
        self._content_length = config.indexer.max_content_length
        self._add_domain = config.indexer.add_domain
        self._caching_policy = config.parser.caching_forbidden_policy

    def filter(self, document: Document, record: Record) -> Document:
        url = record.repr_url or record.url
        document.add("domain", record.domain if self._add_domain else None)
        document.add("host", record.host if url == record.url else _host(url))
        document.add("url", url)
        # The content field is there even if the page has no text: it is what pages have in common.
        document.fields["content"] = _cut(xml_text(record.text or ""), self._content_length)
        document.add("title", _cut(xml_text(record.title or "").strip(), self._title_length))
        if record.noarchive and self._caching_policy != "none":
            document.add("cache", self._caching_policy)
        document.add("tstamp", record.fetch_time)
        return document


class AnchorIndexingFilter:
    """The field anchor: the texts of the links to the page, in their order."""

    def __init__(self, config: CrawlConfig) -> None:
        self._deduplicate = config.anchor_indexing_filter.deduplicate

    def filter(self, document: Document, record: Record) -> Document:
        anchors = [anchor for anchor in record.anchors if anchor.strip()]
        if self._deduplicate:
            first = {anchor.lower(): anchor for anchor in reversed(anchors)}
            anchors = [first[key] for key in dict.fromkeys(a.lower() for a in anchors)]
        document.add("anchor", anchors)
        return document


class LanguageIndexingFilter:
    """The field lang."""

    def __init__(self, config: CrawlConfig) -> None:
        del config

    def filter(self, document: Document, record: Record) -> Document:
        document.add("lang", record.language or "unknown")
        return document


def _cut(text: str, length: int) -> str:
    return text if length < 0 else text[:length]


def _host(url: str) -> str | None:
    try:
        return urlsplit(url).hostname
    except ValueError:
        return None
