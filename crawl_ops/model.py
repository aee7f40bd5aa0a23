"""The words every room shares: Nutch's statuses by name, and what a job reports."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class DbStatus(StrEnum):
    """What the crawldb knows of a URL (Nutch's CrawlDatum db_*)."""

    DB_UNFETCHED = "db_unfetched"
    DB_FETCHED = "db_fetched"
    DB_GONE = "db_gone"
    DB_REDIR_TEMP = "db_redir_temp"
    DB_REDIR_PERM = "db_redir_perm"
    DB_NOTMODIFIED = "db_notmodified"
    DB_DUPLICATE = "db_duplicate"
    DB_ORPHAN = "db_orphan"
    DB_PARSE_FAILED = "db_parse_failed"


class FetchStatus(StrEnum):
    """What one fetch of a URL came to (Nutch's CrawlDatum fetch_*, and parse_failed)."""

    FETCH_SUCCESS = "fetch_success"
    FETCH_RETRY = "fetch_retry"
    FETCH_REDIR_TEMP = "fetch_redir_temp"
    FETCH_REDIR_PERM = "fetch_redir_perm"
    FETCH_GONE = "fetch_gone"
    FETCH_NOTMODIFIED = "fetch_notmodified"
    PARSE_FAILED = "parse_failed"


class ProtocolStatus(StrEnum):
    """What the protocol says of one request (Nutch's ProtocolStatus)."""

    SUCCESS = "success"
    FAILED = "failed"
    PROTO_NOT_FOUND = "proto_not_found"
    GONE = "gone"
    MOVED = "moved"
    TEMP_MOVED = "temp_moved"
    NOTFOUND = "notfound"
    RETRY = "retry"
    EXCEPTION = "exception"
    ACCESS_DENIED = "access_denied"
    ROBOTS_DENIED = "robots_denied"
    REDIR_EXCEEDED = "redir_exceeded"
    NOTMODIFIED = "notmodified"


class ParseStatus(StrEnum):
    """What parsing a page came to (Nutch's ParseStatus, major and minor in one word)."""

    SUCCESS = "success"
    SUCCESS_REDIRECT = "success_redirect"  # a meta refresh names another URL
    FAILED = "failed"
    FAILED_TRUNCATED = "failed_truncated"
    FAILED_INVALID_FORMAT = "failed_invalid_format"
    FAILED_TIMEOUT = "failed_timeout"
    NOTPARSED = "notparsed"  # skipped: no parser for the type, or truncated and not wanted


class LinkKind(StrEnum):
    """How one URL came to name another."""

    LINK = "link"
    REDIRECT = "redirect"
    REFRESH = "refresh"
    CANONICAL = "canonical"
    SITEMAP = "sitemap"
    FEED = "feed"


FETCH_STATUS_OF: dict[ProtocolStatus, FetchStatus] = {
    ProtocolStatus.SUCCESS: FetchStatus.FETCH_SUCCESS,
    ProtocolStatus.MOVED: FetchStatus.FETCH_REDIR_PERM,
    ProtocolStatus.TEMP_MOVED: FetchStatus.FETCH_REDIR_TEMP,
    ProtocolStatus.EXCEPTION: FetchStatus.FETCH_RETRY,
    ProtocolStatus.RETRY: FetchStatus.FETCH_RETRY,
    ProtocolStatus.GONE: FetchStatus.FETCH_GONE,
    ProtocolStatus.NOTFOUND: FetchStatus.FETCH_GONE,
    ProtocolStatus.ACCESS_DENIED: FetchStatus.FETCH_GONE,
    ProtocolStatus.ROBOTS_DENIED: FetchStatus.FETCH_GONE,
    ProtocolStatus.NOTMODIFIED: FetchStatus.FETCH_NOTMODIFIED,
    ProtocolStatus.FAILED: FetchStatus.FETCH_RETRY,
    ProtocolStatus.PROTO_NOT_FOUND: FetchStatus.FETCH_RETRY,
    ProtocolStatus.REDIR_EXCEEDED: FetchStatus.FETCH_RETRY,
}


@dataclass(frozen=True, slots=True)
class Verdict:
    """A URL as the crawl knows it, or the rule that said no."""

    url: str | None
    rejected_by: str | None = None  # the plug, as in "regex", "validator", "malformed"
    rule: str | None = None  # the line or limit that decided, for people
    normalized: str | None = field(default=None, compare=False)  # what a filter has refused


@dataclass(frozen=True, slots=True)
class JobReport:
    """What a job did: counts by status or reason, and how long it took."""

    job: str
    segment: str | None = None
    counts: dict[str, int] = field(default_factory=dict)
    seconds: float = 0.0
    details: dict[str, Any] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """Plain data for XComs and --json: job, segment, counts, seconds, then the details."""
        return {
            "job": self.job,
            "segment": self.segment,
            "counts": dict(self.counts),
            "seconds": round(self.seconds, 3),
            **self.details,
        }
