"""WARC records of stored pages (ISO 28500:2017)."""

import http
import json
import uuid
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from io import BytesIO
from typing import Any

from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.jobs.archiving.pages import Row, StoredPage
from crawl_ops.model import LinkKind
from crawl_ops.storage.segment import Segment

CHANGED = frozenset(
    ("content-encoding", "content-length", "transfer-encoding", "connection", "keep-alive")
)
NAMES = uuid.UUID("8d5f9b1c-5d0e-5b7a-9a57-0c6d2f1f2f60")  # ids of records: same input, same file
_NO_LINES = {0: " ", 10: " ", 13: " "}


def warcinfo(
    writer: WARCWriter, config: CrawlConfig, segments: Sequence[Segment], name: str, now: datetime
) -> Any:
    """The record that a file begins with."""
    record = writer.create_warcinfo_record(
        name,
        {
            "software": "crawl_ops",
            "format": "WARC file version 1.1",
            "conformsTo": "http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/",
            "isPartOf": " ".join(segment.name for segment in segments),
            "http-header-user-agent": config.http.agent_name,
            "robots": "obey",
        },
    )
    record.rec_headers.replace_header("WARC-Date", _date(now))
    record.rec_headers.replace_header("WARC-Record-ID", _id(name, _date(now)))
    return record


def response(writer: WARCWriter, page: StoredPage) -> Any:
    """The response record of a page."""
    row = page.content
    headers = {
        "WARC-Record-ID": _id("response", row["url"], row["attempt"]),
        "WARC-Date": _date(row["fetch_time"]),
    }
    if page.fetch["ip_address"]:
        headers["WARC-IP-Address"] = page.fetch["ip_address"]
    if row["truncated"]:
        headers["WARC-Truncated"] = row["truncated"]
    return writer.create_warc_record(
        row["url"],
        "response",
        payload=BytesIO(row["content"]),
        length=len(row["content"]),  # else it is buffered twice, in files that stay open
        http_headers=StatusAndHeaders(
            _status_line(row["http_status"]), _http_headers(row), protocol="HTTP/1.1"
        ),
        warc_headers_dict=headers,
    )


def _status_line(status: int | None) -> str:
    try:
        known = http.HTTPStatus(status or 200)
    except ValueError:
        return str(status)
    return f"{known.value} {known.phrase}"


def _http_headers(row: Row) -> list[tuple[str, str]]:
    """The headers as received, but for those that were about the bytes on the wire."""
    kept = [
        (name, value.translate(_NO_LINES))
        for name, value in json.loads(row["headers"] or "[]")
        if name.lower() not in CHANGED
    ]
    if not kept and row["content_type"]:
        kept.append(("Content-Type", row["content_type"]))
    return [*kept, ("Content-Length", str(len(row["content"])))]


def metadata(writer: WARCWriter, page: StoredPage, response_id: str) -> Any:
    """The metadata record that goes with a response."""
    fields = [(name, value) for name, value in _fields(page) if value is not None]
    lines = "".join(f"{name}: {_one_line(value)}\r\n" for name, value in fields)
    block = lines.encode("utf-8")
    return writer.create_warc_record(
        page.content["url"],
        "metadata",
        payload=BytesIO(block),
        length=len(block),
        warc_content_type="application/warc-fields",
        warc_headers_dict={
            "WARC-Record-ID": _id("metadata", page.content["url"], page.content["attempt"]),
            "WARC-Date": _date(page.content["fetch_time"]),
            "WARC-Concurrent-To": response_id,
        },
    )


def _fields(page: StoredPage) -> Iterator[tuple[str, Any]]:
    """Field names as the WARC specification (via, hopsFromSeed, fetchTimeMs) and crawlers use."""
    yield "via", page.fetch["via"]
    depth = page.fetch["depth"]
    yield "hopsFromSeed", None if depth is None else max(depth - 1, 0)
    yield "fetchTimeMs", page.fetch["response_ms"]
    yield "score", f"{page.content['score']:.6g}"
    data = page.data
    if data is not None:
        yield "parseStatus", data["parse_status"]
        yield "charset", data["charset"]
        yield "language", data["language"]
        yield "title", data["title"]
        yield "canonical", data["canonical_url"]
        yield "signature", data["signature"].hex() if data["signature"] else None
    for link in page.links:
        if link["kind"] != LinkKind.CANONICAL:
            yield "outlink", f"{link['to_url']} {link['kind']}"


def _one_line(value: Any) -> str:
    return " ".join(str(value).split())


def _id(*parts: str) -> str:
    return f"<urn:uuid:{uuid.uuid5(NAMES, ' '.join(parts))}>"


def _date(time_: datetime) -> str:
    return time_.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
