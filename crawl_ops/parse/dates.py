"""Dates as sitemaps, feeds and headers write them."""

import re
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime

MAX_LENGTH = 64

_W3C = re.compile(
    r"(\d{4})(?:-(\d\d?)(?:-(\d\d?)"
    r"(?:[Tt ]\s*(\d\d?):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?\s*(Z|z|UTC|GMT|[+-]\d\d:?\d\d)?)?)?)?"
)


def read_date(text: str) -> datetime | None:
    """A date in W3C form (2004-12-23T18:00:15+00:00, or less of it) or RFC 822's; None if neither.

    Without a zone it is UTC.
    """
    text = text.strip()
    if not text or len(text) > MAX_LENGTH:
        return None
    try:
        found = _W3C.fullmatch(text)
        date = _from_w3c(found) if found else parsedate_to_datetime(text)
        if date.tzinfo is None:
            date = date.replace(tzinfo=UTC)
        return date.astimezone(UTC)
    except (ValueError, OverflowError, TypeError, IndexError):
        return None


def past_date(text: str, now: datetime | None) -> datetime | None:
    """As read_date, but None for what is in the future of `now` or before the web."""
    date = read_date(text)
    if date is None or date.year < 1990 or (now is not None and date > now):
        return None
    return date


def _from_w3c(found: re.Match[str]) -> datetime:
    year, month, day, hour, minute, second, fraction, zone = found.groups()
    date = datetime(
        int(year), int(month or 1), int(day or 1),
        int(hour or 0), int(minute or 0), min(int(second or 0), 59),
        int((fraction or "0")[:6].ljust(6, "0")), tzinfo=UTC,
    )  # fmt: skip
    if zone and zone[0] in "+-":
        digits = zone[1:].replace(":", "")
        offset = timedelta(hours=int(digits[:2]), minutes=int(digits[2:]))
        date = date - offset if zone[0] == "+" else date + offset
    return date
