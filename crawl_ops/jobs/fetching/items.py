"""What is asked for: the rows of a fetch list, and what is found on the way."""

import json
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.urls.identity import UrlIdentity

PAGE, SITEMAP = "page", "sitemap"


@dataclass(slots=True)
class FetchItem:
    """One URL to ask for. `row` has the columns of crawl_generate.

    kind: a sitemap named in robots.txt is read at once, for the sitemaps that it names.
    hops: redirects before this. via: the URL of the list that led here, where it is another.
    source_url: what named it: the page that redirects, the robots.txt, the sitemap index.
    """

    list: int
    row: dict[str, Any]
    kind: str = PAGE
    hops: int = 0
    via: str | None = None
    source_url: str | None = None
    repr_url: str | None = None

    @property
    def url(self) -> str:
        return str(self.row["url"])

    @property
    def k(self) -> int:
        return int(self.row["k"])

    @property
    def host(self) -> str:
        return str(self.row["host"])

    @property
    def domain(self) -> str:
        return str(self.row["domain"])

    @property
    def identity(self) -> UrlIdentity:
        row = self.row
        return UrlIdentity(row["k"], row["slot"], row["host"], row["domain"])


Token: TypeAlias = tuple[int, int] | FetchItem  # what queues hold: (list, position), or an item


class Taken(NamedTuple):
    """An item that may be asked for now; `token` gives it back."""

    token: Token
    item: FetchItem


def cookie_of(metadata: str | None) -> str | None:
    """The Cookie that a record's metadata (JSON text) says to send, or None."""
    if metadata is None or '"Cookie"' not in metadata:
        return None
    value = json.loads(metadata).get("Cookie")
    return value if isinstance(value, str) else None


def without_cookie(metadata: str | None) -> str | None:
    """The metadata without its Cookie: that one is for its own host."""
    if metadata is None or '"Cookie"' not in metadata:
        return metadata
    kept = {name: value for name, value in json.loads(metadata).items() if name != "Cookie"}
    return json.dumps(kept, ensure_ascii=False, sort_keys=True) if kept else None


def found_item(
    source: FetchItem, url: str, identity: UrlIdentity, config: CrawlConfig, **changes: Any
) -> FetchItem:
    """An item for a URL that `source` led to: a new record with the metadata of the source.

    Its score is 0, as Nutch's OPIC scores what is found by a redirect (Nutch rule 5.4).
    """
    metadata = source.row["metadata"]
    row = {
        **source.row,
        "metadata": metadata if identity.host == source.host else without_cookie(metadata),
        **identity._asdict(),
        "url": url,
        "score": 0.0,
        "status": "db_unfetched",
        "modified_time": None,
        "interval_s": config.db.fetch_interval_default,
        "retries": 0,
        "signature": None,
        "etag": None,
        "last_modified": None,
    }
    return FetchItem(source.list, row, via=source.via or source.url, **changes)
