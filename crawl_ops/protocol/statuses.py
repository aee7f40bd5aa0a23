"""HTTP status codes in Nutch's protocol statuses, and Retry-After."""

from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime

from crawl_ops.model import ProtocolStatus

BY_CODE = {
    200: ProtocolStatus.SUCCESS,
    302: ProtocolStatus.TEMP_MOVED,
    303: ProtocolStatus.TEMP_MOVED,
    307: ProtocolStatus.TEMP_MOVED,
    304: ProtocolStatus.NOTMODIFIED,
    400: ProtocolStatus.GONE,
    401: ProtocolStatus.ACCESS_DENIED,
    404: ProtocolStatus.NOTFOUND,
    410: ProtocolStatus.GONE,
}
REDIRECTS = {ProtocolStatus.MOVED, ProtocolStatus.TEMP_MOVED}
ASKS_TO_WAIT = {429, 503}
LONGEST_WAIT_S = 31_536_000.0


def protocol_status(code: int) -> ProtocolStatus:
    """Nutch's status of an HTTP code: other 3xx are moved, all else is an exception."""
    found = BY_CODE.get(code)
    if found is None:
        found = ProtocolStatus.MOVED if 300 <= code < 400 else ProtocolStatus.EXCEPTION
    return found


def retry_after(value: str, date: str | None) -> float | None:
    """Seconds to wait (RFC 9110 §10.2.3), 0 to a year; None when `value` says nothing usable.

    A point in time is measured against the server's own `Date`, so that its clock may be wrong.
    """
    value = value.strip()
    if value.isascii() and value.isdigit():
        return min(float(value[:12]), LONGEST_WAIT_S)
    until, now = http_date(value), http_date(date or "")
    if until is None or now is None:
        return None
    return min(max((until - now) / timedelta(seconds=1), 0.0), LONGEST_WAIT_S)


def http_date(value: str) -> datetime | None:
    """A date in any of the forms of RFC 9110 §5.6.7, in UTC; None when it is none."""
    try:
        parsed = parsedate_to_datetime(value)
        return parsed.replace(tzinfo=UTC) if parsed.tzinfo is None else parsed.astimezone(UTC)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
