"""What the parsers are given and what they give back."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

import msgspec

from crawl_ops.model import LinkKind, ParseStatus

VALUE_SEPARATOR = "\n"
"""Between the values of a metadata key that has several (Nutch keeps them as a list)."""


@dataclass(slots=True)
class Page:
    """One fetched page. Headers are as received; `base_url` is the URL after redirects."""

    url: str
    content: bytes
    base_url: str
    content_type: str | None  # media type after detection, without parameters
    charset_hint: str | None  # charset of the Content-Type header
    headers: Sequence[tuple[str, str]] = ()
    truncated: str | None = None  # None, length, time, disconnect
    fetch_time: datetime | None = None  # judges unavailable_after and dates in the future

    def header(self, name: str) -> str | None:
        """The first value of a header, whatever its case."""
        return next((value for key, value in self.headers if key.lower() == name), None)


class Outlink(msgspec.Struct, gc=False, omit_defaults=True):
    """One link: absolute and WHATWG-resolved, not yet normalized or filtered."""

    url: str
    anchor: str = ""
    rel: str = ""
    kind: LinkKind = LinkKind.LINK
    interval_s: int | None = None
    modified_time: datetime | None = None
    priority: float | None = None


@dataclass(slots=True)
class Parsed:
    """What parsing one page came to.

    `reason` says why the status is no success, or why a success is not the whole page.
    `noindex` and `nofollow` are what the page asks for: title and text are there all the same,
    links under nofollow are only counted. `rejected` counts the links left out, by rule
    (`rel=nofollow`, `robots=nofollow`, `scheme=mailto`, `malformed`, `length`, ...);
    `outlinks_found` counts them too. The refresh target is not among `outlinks`.
    """

    status: ParseStatus
    reason: str | None = None
    kind: str = "page"  # page, sitemap, feed
    title: str = ""
    text: str = ""
    charset: str | None = None
    language: str | None = None
    content_type: str | None = None
    base_url: str = ""
    canonical_url: str | None = None
    refresh_url: str | None = None
    refresh_s: int | None = None
    noindex: bool = False
    nofollow: bool = False
    noarchive: bool = False
    outlinks: list[Outlink] = field(default_factory=list)
    outlinks_found: int = 0
    rejected: dict[str, int] = field(default_factory=dict)
    metadata: dict[str, str] = field(default_factory=dict)
    signature: bytes = b""  # filled by ParserPool


def unparsed(page: Page, status: ParseStatus, reason: str) -> Parsed:
    """The empty result of a page that was not parsed, or whose parser failed."""
    return Parsed(
        status=status, reason=reason, content_type=page.content_type, base_url=page.base_url
    )
