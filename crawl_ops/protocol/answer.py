"""What goes into a request and what comes out of it, in the words of Nutch."""

from dataclasses import dataclass, field
from datetime import datetime

from crawl_ops.model import ProtocolStatus


@dataclass(frozen=True, slots=True)
class FetchRequest:
    """One URL to ask for, with what is known of it for a conditional request.

    `etag` and `last_modified` are the server's own words from last time, sent back verbatim;
    without `last_modified` the date of `modified_time` is sent (RFC 9110 §13.1.3).
    """

    url: str
    modified_time: datetime | None = None
    etag: str | None = None
    last_modified: str | None = None
    cookie: str | None = None


@dataclass(slots=True)
class Answer:
    """What one request came to.

    `content` is decoded (gzip and the like removed) and kept for success and redirects only, as
    Nutch keeps it. `content_type` is the media type after detection, `charset_hint` the charset
    parameter of the header. `truncated` is None, or why the content is short: length, time or
    disconnect. `location` is the absolute redirect target without fragment. `response_ms` is the
    time from the start of the request to the last byte that was read.
    """

    url: str
    status: ProtocolStatus
    http_status: int | None = None
    reason: str | None = None
    headers: list[tuple[str, str]] = field(default_factory=list)
    content: bytes = b""
    content_type: str | None = None
    charset_hint: str | None = None
    truncated: str | None = None
    location: str | None = None
    retry_after_s: float | None = None
    ip_address: str | None = None
    response_ms: int = 0
    etag: str | None = None
    last_modified: str | None = None
