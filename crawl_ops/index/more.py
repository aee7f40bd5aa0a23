"""Nutch's index-more: dates, length and type of a page."""

import mimetypes
import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from urllib.parse import unquote

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.index.document import Document, Record

# Without the system's own files, so that a page has the same type on every machine.
_TYPES = mimetypes.MimeTypes()
_FILENAME = re.compile(r"""\bfilename\s*=\s*(?:"([^"]*)"|'([^']*)'|([^;\s]+))""", re.IGNORECASE)


class MoreIndexingFilter:
    """lastModified, date, contentLength, type, and a title for files that have none."""

    def __init__(self, config: CrawlConfig) -> None:
        self._parts = config.indexer.index_mime_type_parts

    def filter(self, document: Document, record: Record) -> Document:
        last_modified = http_time(
            _header(record, "last-modified") or _first(record.parse_metadata.get("Last-Modified"))
        )
        document.add("lastModified", last_modified)
        document.add("date", last_modified or record.modified_time or record.fetch_time)
        document.add("contentLength", _header(record, "content-length").strip())
        document.add("type", self._types(record))
        if "title" not in document.fields:
            document.add("title", _file_name(_header(record, "content-disposition")))
        return document

    def _types(self, record: Record) -> list[str]:
        found = record.content_type or _header(record, "content-type").partition(";")[0].strip()
        found = found or _TYPES.guess_type(record.url)[0] or ""
        if not found:
            return []
        return [found, *mime_parts(found)] if self._parts else [found]


def mime_parts(media_type: str) -> list[str]:
    """Main and sub type of text/html: text, html."""
    return [part for part in media_type.split("/") if part]


def http_time(text: str) -> datetime | None:
    """A Last-Modified in any of HTTP's three forms (RFC 9110 §5.6.7) or ISO 8601; UTC."""
    text = text.strip()[:100]
    for read in (parsedate_to_datetime, datetime.fromisoformat):
        try:
            time = read(text)
            return time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)
        except (ValueError, TypeError, IndexError, OverflowError):
            continue
    return None


def _header(record: Record, name: str) -> str:
    return next((value for key, value in record.headers if key.lower() == name), "")


def _first(value: object) -> str:
    if isinstance(value, list | tuple):
        value = value[0] if value else None
    return str(value) if value is not None else ""


def _file_name(disposition: str) -> str:
    match = _FILENAME.search(disposition[:2000])
    return unquote(next((group for group in match.groups() if group), "")) if match else ""
