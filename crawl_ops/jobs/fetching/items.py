"""What is asked for: the rows of a fetch list, and what is found on the way."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.storage.segment import Segment
from crawl_ops.urls.identity import UrlIdentity

PAGE, SITEMAP = "page", "sitemap"


@dataclass(slots=True)
class FetchItem:
    """One URL to ask for. `row` has the columns of crawl_generate.

    kind: a sitemap named in robots.txt is read at once, for the sitemaps that it names.
    hops: redirects before this. via: the URL of the list that led here, where it is another.
    """

    list: int
    row: dict[str, Any]
    kind: str = PAGE
    hops: int = 0
    via: str | None = None
    repr_url: str | None = None
    tries: int = field(default=0)  # how often it was put back: robots deferred, Retry-After

    @property
    def url(self) -> str:
        return str(self.row["url"])

    @property
    def k(self) -> int:
        return int(self.row["k"])

    @property
    def host(self) -> str:
        return str(self.row["host"])


class ListRows:
    """A fetch list in memory, as columns: an item is made when its turn comes."""

    def __init__(self, segment: Segment, number: int) -> None:
        files = segment.part_files("crawl_generate", [number])
        self.number = number
        self._tables = [segment.read_part(file, "crawl_generate") for file in files]
        self._starts = []
        total = 0
        for table in self._tables:
            self._starts.append(total)
            total += table.num_rows
        self.total = total

    def hosts(self) -> set[str]:
        """The hosts of the list."""
        columns = [table.column("host").unique() for table in self._tables]
        return {str(host) for column in columns for host in column.to_pylist()}

    def entries(self) -> Iterator[tuple[int, int, str, str]]:
        """(position, k, host, domain) of every row, in the order of the list."""
        position = 0
        for table in self._tables:
            columns = [table.column(name).to_pylist() for name in ("k", "host", "domain")]
            for k, host, domain in zip(*columns, strict=True):
                yield position, k, host, domain
                position += 1

    def item(self, position: int) -> FetchItem:
        """The item at a position."""
        for table, start in zip(reversed(self._tables), reversed(self._starts), strict=True):
            if position >= start:
                row = table.slice(position - start, 1).to_pylist()[0]
                return FetchItem(self.number, row)
        raise IndexError(position)

    def urls(self, positions: Sequence[int]) -> list[tuple[int, str]]:
        """(k, url) of some positions."""
        return [(item.k, item.url) for item in map(self.item, positions)]


def found_item(
    source: FetchItem, url: str, identity: UrlIdentity, config: CrawlConfig, **changes: Any
) -> FetchItem:
    """An item for a URL that `source` led to: a new record with the metadata of the source.

    Its score is 0, as Nutch's OPIC scores what is found by a redirect (Nutch rule 5.4).
    """
    row = {
        **source.row,
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
