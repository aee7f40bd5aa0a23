"""From an answer to the rows that a segment keeps of it."""

from datetime import datetime
from json.encoder import encode_basestring_ascii as _quoted
from typing import Any

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.jobs.fetching.items import FetchItem
from crawl_ops.model import FETCH_STATUS_OF, FetchStatus, LinkKind, ProtocolStatus
from crawl_ops.protocol.answer import Answer
from crawl_ops.protocol.robots import RobotsAnswer
from crawl_ops.urls.identity import UrlIdentity

COPIED = (
    "k",
    "slot",
    "url",
    "host",
    "domain",
    "score",
    "modified_time",
    "interval_s",
    "retries",
    "signature",
    "depth",
    "max_depth",
    "metadata",
)
VALIDATOR_CHARS = 1000  # an ETag that is longer is none we want to send back


def milliseconds(time: datetime) -> datetime:
    """A time cut to milliseconds, as all times are stored."""
    return time.replace(microsecond=time.microsecond // 1000 * 1000)


def plain(text: str | None) -> str | None:
    """Text of a server as it can be stored: valid UTF-8 without NUL."""
    if text is None or (text.isascii() and "\0" not in text):
        return text
    return text.encode("utf-8", "replace").decode().replace("\0", "")


def fetch_row(
    item: FetchItem, answer: Answer, config: CrawlConfig, now: datetime, attempt: str
) -> dict[str, Any]:
    """The crawl_fetch row of an answer."""
    given = item.row
    row = {name: given[name] for name in COPIED}
    status = FETCH_STATUS_OF[answer.status]
    row.update(
        list=item.list,
        attempt=attempt,
        via=item.via,
        fetch_status=status,
        protocol_status=answer.status,
        http_status=answer.http_status,
        reason=plain(answer.reason),
        fetch_time=milliseconds(now),
        response_ms=answer.response_ms if config.http.store_responsetime else None,
        bytes=len(answer.content),
        content_type=plain(answer.content_type),
        truncated=answer.truncated,
        repr_url=item.repr_url,
        hops=item.hops,
        etag=_validator(answer.etag),
        last_modified=_validator(answer.last_modified),
        ip_address=answer.ip_address if config.store.ip_address else None,
    )
    if status is FetchStatus.FETCH_NOTMODIFIED:
        # A 304 need not repeat what it was asked with; the next one is asked with it again.
        row["etag"] = row["etag"] or given["etag"]
        row["last_modified"] = row["last_modified"] or given["last_modified"]
    return row


def _validator(text: str | None) -> str | None:
    return plain(text) if text is not None and len(text) <= VALIDATOR_CHARS else None


def denied_row(
    item: FetchItem, reason: str, config: CrawlConfig, now: datetime, attempt: str
) -> dict[str, Any]:
    """The crawl_fetch row of a URL that robots.txt does not allow (Nutch rule 5.2)."""
    answer = Answer(url=item.url, status=ProtocolStatus.ROBOTS_DENIED, reason=reason)
    return fetch_row(item, answer, config, now, attempt)


def content_row(
    item: FetchItem, answer: Answer, config: CrawlConfig, now: datetime, attempt: str
) -> dict[str, Any] | None:
    """The content row of a success; None if there is nothing to keep (Nutch rule 5.2)."""
    success = FETCH_STATUS_OF[answer.status] is FetchStatus.FETCH_SUCCESS
    if not success or not config.fetcher.store_content:
        return None
    headers = answer.headers if config.store.http_headers else []
    return {
        **{name: item.row[name] for name in ("k", "slot", "url", "score", "depth", "max_depth")},
        "metadata": item.row["metadata"],
        "attempt": attempt,
        "base_url": answer.url,
        "fetch_time": milliseconds(now),
        "http_status": answer.http_status,
        "content_type": plain(answer.content_type),
        "charset_hint": plain(answer.charset_hint),
        "headers": _pairs(headers),
        "content": answer.content,
        "truncated": answer.truncated,
        "repr_url": item.repr_url,
    }


def _pairs(headers: list[tuple[str, str]]) -> str:
    """As json.dumps writes them, in half the time."""
    return "[" + ", ".join([f"[{_quoted(n)}, {_quoted(v)}]" for n, v in headers]) + "]"


def link_row(
    source: FetchItem,
    from_identity: UrlIdentity,
    from_url: str,
    to_url: str,
    to: UrlIdentity,
    kind: LinkKind,
    attempt: str,
) -> dict[str, Any]:
    """A crawl_parse row for a URL that is to be fetched in a later round."""
    return {
        "k": to.k,
        "slot": to.slot,
        "to_url": to_url,
        "to_host": to.host,
        "to_domain": to.domain,
        "from_k": from_identity.k,
        "from_url": from_url,
        "from_host": from_identity.host,
        "attempt": attempt,
        "kind": kind,
        "position": 0,
        "score": 0.0,
        "depth": source.row["depth"],
        "max_depth": source.row["max_depth"],
        "metadata": source.row["metadata"],
    }


def rejected_row(
    k: int,
    url: str,
    rule: str,
    detail: str | None,
    now: datetime,
    attempt: str,
    from_url: str | None = None,
) -> dict[str, Any]:
    """Why a URL went no further in this fetch."""
    return {
        "k": k,
        "url": url,
        "attempt": attempt,
        "step": "fetch",
        "rule": rule,
        "detail": plain(detail),
        "from_url": from_url,
        "time": milliseconds(now),
    }


def robots_row(
    robots: RobotsAnswer, identity: UrlIdentity, now: datetime, attempt: str
) -> dict[str, Any]:
    """A robots.txt answer, for the hostdb."""
    return {
        "origin": robots.origin,
        "host": identity.host,
        "slot": identity.slot,
        "attempt": attempt,
        "fetch_time": milliseconds(now),
        "http_status": robots.http_status,
        "outcome": robots.outcome,
        "reason": plain(robots.reason),
        "crawl_delay_s": robots.crawl_delay_s,
        "content": robots.content,
    }
