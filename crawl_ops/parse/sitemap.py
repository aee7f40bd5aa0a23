"""Sitemaps: XML, text and feeds, plain or gzipped (sitemaps.org, read as leniently as it helps)."""

import re
import zlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from crawl_ops.parse.dates import past_date
from crawl_ops.parse.feed import FeedReader
from crawl_ops.parse.links import MAX_URL_LENGTH, http_url
from crawl_ops.parse.xml_reader import has_doctype, read_xml, root_name, xml_as_utf8

MAX_LOCATIONS = 100_000
SIZE_MAX_BYTES = 52_428_800

CHANGE_FREQUENCIES_S = {
    "always": 3_600,
    "hourly": 3_600,
    "daily": 86_400,
    "weekly": 604_800,
    "monthly": 2_592_000,
    "yearly": 31_536_000,
    "never": 31_536_000,
}
_BARE_HOST = re.compile(r"[\w-]+(?:\.[\w-]+)+(?:[/:?]|$)")
_FEEDS = ("rss", "feed", "rdf")
_PARTS = ("loc", "lastmod", "changefreq", "priority")


@dataclass(slots=True)
class Location:
    """One URL a sitemap names, with what it says of it."""

    url: str
    modified_time: datetime | None = None
    interval_s: int | None = None
    priority: float | None = None
    title: str = ""


@dataclass(slots=True)
class SitemapContents:
    """What a sitemap holds. kind: index, urlset, text, feed, or invalid with a reason.

    `reason` beside another kind says what is missing (cut short, malformed further on).
    `rejected` counts locations that were left out: `sitemap.strict.parsing`, `malformed`, ...
    """

    kind: str
    locations: list[Location] = field(default_factory=list)
    reason: str | None = None
    rejected: Counter[str] = field(default_factory=Counter)
    charset: str = "utf-8"


def locations(
    content: bytes,
    url: str,
    *,
    hint: str | None = None,
    strict: bool = True,
    now: datetime | None = None,
    size_max: int = SIZE_MAX_BYTES,
    lenient: bool = True,
) -> SitemapContents:
    """What the sitemap at `url` names.

    strict: locations must lie under the sitemap's own folder, scheme and host
    (sitemap.strict.parsing). now: dates after it are dropped. lenient: documents that are cut,
    malformed or declare a type give what can be read; otherwise they are invalid.
    Bytes past `size_max`, unpacked, are not read.
    """
    content, cut = unpacked(content, size_max)
    data, charset = xml_as_utf8(content, hint, cut)
    root = root_name(data)
    if root is None:
        found = _text_locations(data, url)
    elif not lenient and has_doctype(data):
        found = SitemapContents("invalid", reason="declares a document type")
    elif root in _FEEDS:
        found = _feed_locations(data, url, now)
    elif root in ("urlset", "sitemapindex"):
        found = _xml_locations(data, url, root, now)
    else:
        found = SitemapContents("invalid", reason=f"<{root[:40]}> is no sitemap")
    found.charset = charset
    if cut and found.reason is None:
        found.reason = f"cut at {size_max} bytes"
    if not lenient and found.reason is not None:
        return SitemapContents("invalid", reason=found.reason, charset=charset)
    if strict and found.kind != "index":
        _keep_below(found, url)
    return found


def unpacked(content: bytes, size_max: int) -> tuple[bytes, bool]:
    """`content` gunzipped, if its first bytes say gzip, and whether something is missing."""
    if not content.startswith(b"\x1f\x8b"):
        return content[:size_max], len(content) > size_max
    unzip = zlib.decompressobj(wbits=31)
    try:
        data = unzip.decompress(content, size_max)
    except zlib.error:
        return _readable(content, size_max), True
    return data, not unzip.eof


def _readable(content: bytes, size_max: int) -> bytes:
    unzip = zlib.decompressobj(wbits=31)
    data = bytearray()
    try:
        for start in range(0, len(content), 4096):
            data += unzip.decompress(content[start : start + 4096], max(1, size_max - len(data)))
            if len(data) >= size_max:
                break
    except zlib.error:
        pass
    return bytes(data)


def location_is_below(sitemap: str, url: str) -> bool:
    """Whether a sitemap may name a URL: same scheme, host and port, in its folder or deeper."""
    folder = sitemap.partition("?")[0].partition("#")[0]
    return url.startswith(folder[: folder.rfind("/") + 1])


def _keep_below(found: SitemapContents, url: str) -> None:
    own = http_url(url, "") or url
    kept = [location for location in found.locations if location_is_below(own, location.url)]
    refused = len(found.locations) - len(kept)
    if refused:
        found.rejected["sitemap.strict.parsing"] += refused
        found.locations = kept


def _text_locations(data: bytes, url: str) -> SitemapContents:
    found = SitemapContents("text")
    for line in data.decode("utf-8", "replace").splitlines():
        text = line.strip()
        if not text:
            continue
        if _BARE_HOST.match(text):
            text = f"http://{text}"
        named = _absolute(url, text) if "://" in text[:16] and " " not in text else None
        if named is None:
            found.rejected["malformed"] += 1
        elif len(found.locations) < MAX_LOCATIONS:
            found.locations.append(Location(named))
        else:
            found.rejected["links.per.page"] += 1
    if not found.locations:
        return SitemapContents("invalid", reason="names no URL", rejected=found.rejected)
    return found


def _feed_locations(data: bytes, url: str, now: datetime | None) -> SitemapContents:
    reader = FeedReader(now)
    reason = read_xml(data, reader)
    found = SitemapContents("feed", reason=reason)
    for entry in reader.entries:
        named = _absolute(url, entry.link)
        if named is None:
            found.rejected["malformed"] += 1
        else:
            found.locations.append(Location(named, entry.modified_time, title=entry.title))
    return found


def _xml_locations(data: bytes, url: str, root: str, now: datetime | None) -> SitemapContents:
    reader = _SitemapReader(url, now)
    reason = read_xml(data, reader)
    reader.finish()
    kind = "index" if root == "sitemapindex" else "urlset"
    return SitemapContents(kind, reader.locations, reason, reader.rejected)


def _absolute(base: str, text: str) -> str | None:
    text = text.strip()
    return http_url(base, text) if text and len(text) <= MAX_URL_LENGTH else None


class _SitemapReader:
    """Reads url and sitemap elements; images, videos and other extensions lie deeper."""

    def __init__(self, url: str, now: datetime | None) -> None:
        self.locations: list[Location] = []
        self.rejected: Counter[str] = Counter()
        self._url = url
        self._now = now
        self._fields: dict[str, str] | None = None
        self._part = ""
        self._text: list[str] = []
        self._depth = 0
        self.data = self._text.append

    def start(self, name: str, _: Mapping[str, str]) -> None:
        self._depth += 1
        if self._depth == 2 and name in ("url", "sitemap"):
            self._fields, self._part = {}, ""
            self._text.clear()
        elif self._depth == 3 and self._fields is not None:
            if not self._part and not self._fields:
                self._fields["bare"] = "".join(self._text)
            self._part = name
            self._text.clear()

    def end(self, name: str) -> None:
        self._depth -= 1
        if self._fields is None:
            return
        if self._depth == 2:
            if self._part in _PARTS and name == self._part:
                self._fields.setdefault(self._part, "".join(self._text).strip())
            self._text.clear()
        elif self._depth == 1:
            if not self._fields:
                self._fields["bare"] = "".join(self._text)
            self._add(self._fields)
            self._fields = None

    def finish(self) -> None:
        """The document ended, perhaps in the middle of a location: if it is whole, it counts."""
        if self._fields is not None and "loc" in self._fields:
            self._add(self._fields)

    def _add(self, fields: dict[str, str]) -> None:
        # Some write the URL straight into the element, without loc.
        text = fields.get("loc") or fields.get("bare", "").strip()
        if not text:
            return
        named = _absolute(self._url, text)
        if named is None:
            self.rejected["malformed"] += 1
        elif len(self.locations) >= MAX_LOCATIONS:
            self.rejected["links.per.page"] += 1
        else:
            self.locations.append(
                Location(
                    named,
                    past_date(fields.get("lastmod", ""), self._now),
                    CHANGE_FREQUENCIES_S.get(fields.get("changefreq", "").lower()),
                    _priority(fields.get("priority", "")),
                )
            )


def _priority(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if 0.0 <= value <= 1.0 else None
