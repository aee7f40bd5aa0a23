"""sitemap: bring what sitemaps name into the crawldb (Nutch's SitemapProcessor)."""

import contextlib
import logging
import threading
import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.errors import SeedError, StoppedError, os_reason
from crawl_ops.jobs.sitemaps.reader import Found, SitemapReader, read_contents
from crawl_ops.model import DbStatus, JobReport
from crawl_ops.parse.sitemap import Location, SitemapContents
from crawl_ops.protocol.http import HttpProtocol
from crawl_ops.protocol.robots_file import RobotsFile
from crawl_ops.storage.crawl_dir import CrawlDir
from crawl_ops.storage.session import Session
from crawl_ops.urls.chain import UrlChain
from crawl_ops.urls.identity import UrlIdentifier

log = logging.getLogger(__name__)

BATCH = 50_000
TOLD_MOST = 50
DEFAULT_PRIORITY = 0.5
FILE_MOST_BYTES = 64 << 20


def sitemap(
    crawl: CrawlDir,
    config: CrawlConfig,
    sitemaps: Sequence[str],
    clock: Callable[[], datetime],
    *,
    from_hosts: bool = False,
    operation: str | None = None,
    stop: threading.Event | None = None,
) -> JobReport:
    """Add the locations of sitemaps to the crawldb (Nutch rules 20).

    sitemaps: URLs; or files, each a sitemap itself or a list of URLs of sitemaps. from_hosts: also
    those that the robots.txt of hosts in the hostdb names, and their /sitemap.xml. A new URL is
    db_unfetched, due now, its score the priority (0 and none count 0.5), its interval the
    changefreq within the bounds of the adaptive schedule; a known one changes only with
    sitemap.url.overwrite.existing. operation: asked again with the same one, nothing changes.
    Raises SeedError for a file that cannot be read, StoppedError when asked to stop: then nothing
    has changed.
    """
    started = time.monotonic()
    operation = operation or f"sitemap:{uuid.uuid4().hex}"
    table = crawl.table("crawldb")
    if report := table.done(operation):
        return report
    stop = stop or threading.Event()
    log.info("sitemap: %d given", len(sitemaps))
    with crawl.session(config) as session:
        rows = _Rows(session, config, UrlIdentifier(crawl.seed), clock())
        urls: list[str] = []
        for found in _of_files(sitemaps, config, clock(), urls):
            rows.take(found)
        if from_hosts:
            urls += _of_hosts(crawl, session, config)
        if urls:
            with contextlib.closing(HttpProtocol(config)) as http:
                for found in SitemapReader(config, http, clock, stop).read(urls):
                    rows.take(found)
        if stop.is_set():
            raise StoppedError("sitemap: asked to stop; nothing has changed")
        rows.flush()
        with table.writing():
            if report := table.done(operation):
                return report
            report = _write(crawl, session, config, rows, operation, started)
    log.info("sitemap: %s", report.counts)
    return report


def _of_files(
    sitemaps: Sequence[str], config: CrawlConfig, now: datetime, urls: list[str]
) -> Iterator[Found]:
    """The sitemaps that are files; `urls` gets those that have to be asked for."""
    for given in sitemaps:
        if "://" in given:
            urls.append(given)
            continue
        contents = _of_file(Path(given), config, now)
        if isinstance(contents, list):
            urls += contents
        else:
            yield Found(given, "read", contents.reason, contents)
            if contents.kind == "index":
                urls += [location.url for location in contents.locations]


def _of_file(file: Path, config: CrawlConfig, now: datetime) -> SitemapContents | list[str]:
    """A sitemap in a file, or the lines of a list of sitemaps."""
    try:
        with file.open("rb") as stream:
            content = stream.read(FILE_MOST_BYTES + 1)
    except OSError as error:
        raise SeedError(f"{file}: cannot be read: {os_reason(error)}") from None
    if len(content) > FILE_MOST_BYTES:
        raise SeedError(f"{file}: is longer than {FILE_MOST_BYTES} bytes")
    if content.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] != b"<" and content[:2] != b"\x1f\x8b":
        lines = map(str.strip, content.decode("utf-8-sig", "replace").splitlines())
        return [line for line in lines if line and not line.startswith("#")]
    contents = read_contents(config, content, "http://localhost/", now, strict=False)
    if contents.kind == "invalid":
        raise SeedError(f"{file}: is no sitemap: {contents.reason}")
    return contents


def _of_hosts(crawl: CrawlDir, session: Session, config: CrawlConfig) -> list[str]:
    """The sitemaps of the hosts that the hostdb knows."""
    session.bind_table("hostdb", crawl.table("hostdb").current())
    urls: list[str] = []
    for row in session.rows("sitemap_hosts"):
        origin = row["robots_origin"]
        file = RobotsFile(row["robots_content"] or b"", (), f"{origin}/robots.txt")
        urls += file.sitemaps
        if config.sitemap.url_default_sitemap_xml:
            urls.append(f"{origin}/sitemap.xml")
    return list(dict.fromkeys(urls))


def _write(
    crawl: CrawlDir,
    session: Session,
    config: CrawlConfig,
    rows: "_Rows",
    operation: str,
    started: float,
) -> JobReport:
    commit = crawl.table("crawldb").begin("sitemap", operation, config, rows.now)
    commit.spread(rows.counts["locations"])
    before = commit.parent.rows
    for bucket in commit.buckets((slot, slot) for slot in sorted(rows.slots)):
        session.bind_bucket("crawldb", "crawldb", bucket)
        entry = session.copy_bucket(
            "sitemap",
            "crawldb",
            bucket,
            commit.data_path(bucket),
            lo=bucket.lo,
            hi=bucket.hi,
            overwrite=config.sitemap.url_overwrite_existing,
            default_score=DEFAULT_PRIORITY,
            interval_default=config.db.fetch_interval_default,
        )
        commit.replace(bucket, entry)
    rows.counts["injected"] = commit.rows - before
    details = {"version": commit.version, "urls": commit.rows, "sitemaps": rows.told}
    seconds = time.monotonic() - started
    report = JobReport("sitemap", None, dict(rows.counts), seconds, details)
    commit.publish(report)
    return report


@dataclass(slots=True)
class _Rows:
    """The temporary table `named`: crawldb rows of locations, while sitemaps are read."""

    session: Session
    config: CrawlConfig
    identifier: UrlIdentifier
    now: datetime
    counts: Counter[str] = field(default_factory=lambda: Counter(sitemaps=0, locations=0))
    slots: set[int] = field(default_factory=set)
    told: list[dict[str, Any]] = field(default_factory=list)
    _batch: list[dict[str, Any]] = field(default_factory=list)
    _chain: UrlChain = field(init=False)

    def __post_init__(self) -> None:
        url = self.config.sitemap
        self._chain = UrlChain(self.config, normalize=url.url_normalize, filter=url.url_filter)
        self.now = self.now.replace(microsecond=self.now.microsecond // 1000 * 1000)
        self.session.bind_rows("named", "crawldb", [])

    def take(self, found: Found) -> None:
        """Count a sitemap, and keep its locations."""
        self.counts["sitemaps" if found.outcome == "read" else f"failed.{found.outcome}"] += 1
        named = 0
        if found.contents is not None:
            for rule, number in found.contents.rejected.items():
                self.counts[f"rejected.{rule}"] += number
            if found.contents.kind != "index":
                named = len(found.contents.locations)
                self._keep(found.contents.locations)
        if len(self.told) < TOLD_MOST:
            told = {"url": found.url, "outcome": found.outcome, "locations": named}
            self.told.append(told | ({"reason": found.reason} if found.reason else {}))

    def _keep(self, locations: Iterable[Location]) -> None:
        for location in locations:
            verdict = self._chain.judge(location.url)
            if verdict.url is None:
                self.counts[f"rejected.{verdict.rejected_by}"] += 1
                continue
            self.counts["locations"] += 1
            identity = self.identifier.identify(verdict.url)
            self.slots.add(identity.slot)
            self._batch.append({**identity._asdict(), **self._row(verdict.url, location)})
            if len(self._batch) >= BATCH:
                self.flush()

    def _row(self, url: str, location: Location) -> dict[str, Any]:
        db = self.config.db
        interval = db.fetch_interval_default
        if location.interval_s is not None:
            most = min(db.adaptive_max_interval, db.fetch_interval_max)
            interval = int(min(max(location.interval_s, db.adaptive_min_interval), most))
        return {
            "url": url,
            "status": DbStatus.DB_UNFETCHED,
            "fetch_time": self.now,
            "modified_time": location.modified_time,
            "interval_s": interval,
            "retries": 0,
            "score": location.priority or DEFAULT_PRIORITY,
            "depth": 1,
        }

    def flush(self) -> None:
        """Bring what is gathered into the table."""
        self.session.append_rows("named", "crawldb", self._batch)
        self._batch.clear()
