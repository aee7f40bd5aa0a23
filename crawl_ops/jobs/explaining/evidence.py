"""What is recorded of a URL, read through keys, slots and hosts."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.storage.crawl_dir import CrawlDir
from crawl_ops.storage.lookup import CrawlDbLookup
from crawl_ops.storage.manifest import Manifest
from crawl_ops.storage.segment import Segment
from crawl_ops.storage.session import Session
from crawl_ops.storage.url_rows import UrlRows
from crawl_ops.storage.views import part_select
from crawl_ops.urls.identity import UrlIdentifier, UrlIdentity

Row = dict[str, Any]
VERSIONS = 30
DATA_COLUMNS = (
    "k",
    "attempt",
    "parse_status",
    "reason",
    "kind",
    "title",
    "content_type",
    "canonical_url",
    "refresh_url",
    "noindex",
    "nofollow",
    "outlinks_found",
    "outlinks_kept",
    "outlinks_rejected",
    "truncated",
)


@dataclass(frozen=True, slots=True)
class Version:
    """A kept version of the crawldb, and the URL's row in it."""

    manifest: Manifest
    row: Row | None

    @property
    def created(self) -> datetime:
        return datetime.fromisoformat(self.manifest.created)


@dataclass(slots=True)
class Round:
    """What a segment holds of the URL."""

    segment: Segment
    info: dict[str, Any]
    generated: Row | None = None
    fetch: Row | None = None
    data: Row | None = None
    links: list[Row] = field(default_factory=list)
    rejected: list[Row] = field(default_factory=list)

    @property
    def name(self) -> str:
        return self.segment.name

    def is_of(self, segment: str | None) -> bool:
        """Whether a segment that a row names is this one, or was merged into it."""
        return segment == self.name or segment in self.info.get("merged", ())

    @property
    def created(self) -> datetime:
        return datetime.fromisoformat(self.info["created"])


@dataclass(slots=True)
class Evidence:
    """All that is recorded of a URL.

    history: kept versions, oldest first. rounds: of all segments, oldest first. crowd: URLs of its
    host or domain (generate.count.mode) in the newest one.
    """

    url: str
    identity: UrlIdentity
    row: Row | None
    current: Manifest
    history: list[Version]
    rounds: list[Round]
    robots: list[Row]
    crowd: int

    @property
    def is_known(self) -> bool:
        """Whether anything is recorded of the URL itself."""
        return self.row is not None or any(
            found.generated or found.fetch or found.links or found.rejected for found in self.rounds
        )


def gather(crawl: CrawlDir, config: CrawlConfig, urls: Iterable[str]) -> Evidence:
    """The evidence for the first of some spellings of a URL that the crawldb knows.

    What was linked, fetched or refused counts whichever of the spellings it was under.
    """
    spellings = list(dict.fromkeys(urls))
    identifier = UrlIdentifier(crawl.seed)
    identities = {url: identifier.identify(url) for url in spellings}
    current = crawl.table("crawldb").current()
    with crawl.session(config) as session:
        lookup = CrawlDbLookup(crawl, session, current)
        rows = {url: lookup.row(url, i.host, i.slot) for url, i in identities.items()}
        url = next((url for url, row in rows.items() if row), spellings[0])
        keys = sorted({identity[:2] for identity in identities.values()})
        session.create(
            "wanted", "explain_wanted", keys=[k for k, _ in keys], slots=[slot for _, slot in keys]
        )
        rounds = _rounds(crawl, session, identities[url].k)
        return Evidence(
            url=url,
            identity=identities[url],
            row=rows[url],
            current=current,
            history=_history(crawl, session, url, identities[url]),
            rounds=rounds,
            robots=_robots(crawl, session, identities[url]),
            crowd=_crowd(session, rounds, identities[url]),
        )


def _history(crawl: CrawlDir, session: Session, url: str, identity: UrlIdentity) -> list[Version]:
    """The URL in the versions kept; the newest of them, where there are many."""
    table = crawl.table("crawldb")
    known: dict[tuple[str, ...], Row | None] = {(): None}
    found = []
    for number in table.versions()[-VERSIONS:]:
        manifest = table.version(number)
        files = manifest.bucket(identity.slot, identity.slot).files
        paths = tuple(entry.path for entry in files)
        if paths not in known:
            lookup = CrawlDbLookup(crawl, session, manifest)
            known[paths] = lookup.row(url, identity.host, identity.slot)
        found.append(Version(manifest, known[paths]))
    return found


def _rounds(crawl: CrawlDir, session: Session, k: int) -> list[Round]:
    segments = [crawl.segment(name) for name in crawl.segments()]
    rounds = {segment.name: Round(segment, segment.info()) for segment in segments}
    for part in ("crawl_generate", "crawl_parse", "rejected"):
        session.bind_select(part, part_select(session, segments, part))
    for row in session.rows("explain_generated"):
        rounds[row["segment"]].generated = row
    for row in session.rows("explain_links"):
        rounds[row["segment"]].links.append(row)
    for row in session.rows("explain_rejected"):
        rounds[row["segment"]].rejected.append(row)
    pages = UrlRows(session, segments)
    for fetch in pages.fetches(k):
        found = rounds[fetch["segment"]]
        found.fetch, found.data = fetch, pages.page(fetch, "parse_data", DATA_COLUMNS)
    return list(rounds.values())


def _crowd(session: Session, rounds: list[Round], identity: UrlIdentity) -> int:
    if not rounds:
        return 0
    newest = rounds[-1]
    session.bind_part(newest.segment, "crawl_generate", "newest")
    by_domain = (newest.info.get("config") or {}).get("generate.count.mode") == "domain"
    rows = session.rows(
        "explain_crowd", by_domain=by_domain, domain=identity.domain, host=identity.host
    )
    return int(rows[0]["n"])


def _robots(crawl: CrawlDir, session: Session, identity: UrlIdentity) -> list[Row]:
    """Answers of the host's robots.txt by origin, the newest of each."""
    segments = [crawl.segment(name) for name in crawl.segments()]
    session.bind_select("robots", part_select(session, segments, "robots"))
    found = session.rows("explain_robots", slot=identity.slot, host=identity.host)
    session.bind_table("hostdb", crawl.table("hostdb").current(), identity.slot, identity.slot)
    for row in session.rows("explain_hostdb", host=identity.host):
        if row["robots_time"] is not None:
            found.append(
                {
                    "origin": row["robots_origin"],
                    "fetch_time": row["robots_time"],
                    "outcome": row["robots_outcome"],
                    "reason": None,
                    "content": row["robots_content"],
                }
            )
    by_origin: dict[str, list[Row]] = defaultdict(list)
    for row in found:
        by_origin[row["origin"]].append(row)
    return [max(rows, key=lambda row: row["fetch_time"]) for rows in by_origin.values()]
