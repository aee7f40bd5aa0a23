"""Asks for sitemaps and for those that sitemap indexes name, politely, several hosts at a time."""

import queue
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.errors import StoppedError
from crawl_ops.model import ProtocolStatus
from crawl_ops.parse.sitemap import SitemapContents, locations
from crawl_ops.protocol.answer import Answer, FetchRequest
from crawl_ops.protocol.http import HttpProtocol
from crawl_ops.protocol.robots import RobotsRules
from crawl_ops.urls.hosts import host_of

INDEXES_DEEP = 3
READY_MOST = 4
"""Sitemaps that wait to be taken over; each may name 100,000 locations."""


@dataclass(frozen=True, slots=True)
class Found:
    """A sitemap, or why there is none: `reason`, with the kind of failure in `outcome`."""

    url: str
    outcome: str  # read, robots_denied, robots_deferred, or a protocol or parse status
    reason: str | None = None
    contents: SitemapContents | None = None


class SitemapReader:
    """Reads sitemaps level by level: what was asked for, then what the indexes among them name.

    One request to a host at a time, fetcher.server.delay (or its Crawl-delay) between two; at
    most sitemap.max.per.host sitemaps of one host.
    """

    def __init__(
        self,
        config: CrawlConfig,
        http: HttpProtocol,
        clock: Callable[[], datetime],
        stop: threading.Event,
    ) -> None:
        self._config = config
        self._http = http
        self._robots = RobotsRules(config, http)
        self._clock = clock
        self._stop = stop
        self._asked: set[str] = set()
        self._ready_at: dict[str, float] = {}
        self._found: queue.Queue[Found | None] = queue.Queue(READY_MOST)

    def read(self, urls: Iterable[str]) -> Iterator[Found]:
        """Every sitemap, as it comes; ends early when asked to stop."""
        level = list(urls)
        for _ in range(INDEXES_DEEP + 1):
            further: list[str] = []
            for found in self._level(level):
                yield found
                if found.contents is not None and found.contents.kind == "index":
                    further += [location.url for location in found.contents.locations]
            level = further

    def _level(self, urls: list[str]) -> Iterator[Found]:
        by_host: dict[str, list[str]] = {}
        for url in urls:
            if url not in self._asked:
                self._asked.add(url)
                by_host.setdefault(host_of(url), []).append(url)
        if not by_host:
            return
        threads = min(len(by_host), self._config.fetcher.threads_fetch)
        with ThreadPoolExecutor(threads, "sitemap") as pool:
            for host, theirs in by_host.items():
                pool.submit(self._host, host, theirs)
            try:
                for _ in by_host:
                    while (found := self._found.get()) is not None:
                        yield found
            except BaseException:
                self._stop.set()
                self._drain()
                raise

    def _drain(self) -> None:
        """So that no thread waits for room that nobody makes any more."""
        while True:
            try:
                self._found.get(timeout=1)
            except queue.Empty:
                return

    def _host(self, host: str, urls: list[str]) -> None:
        most = self._config.sitemap.max_per_host
        try:
            for url in urls[:most]:
                if self._stop.is_set():
                    return
                self._found.put(self._one(host, url))
            for url in urls[most:]:
                self._found.put(Found(url, "sitemap.max.per.host", f"more than {most} of one host"))
        finally:
            self._found.put(None)

    def _one(self, host: str, url: str) -> Found:
        try:
            return self._asked_for(host, url)
        except Exception as error:  # noqa: BLE001  (a fault of ours costs its own sitemap only)
            return Found(url, "failed", f"program error: {type(error).__name__}: {error}"[:500])

    def _asked_for(self, host: str, url: str) -> Found:
        asked = url
        for _ in range(self._config.sitemap.redir_max + 1):
            robots = self._robots.of(asked, self._clock())
            if robots.outcome == "deferred":
                return Found(url, "robots_deferred", robots.reason)
            verdict = robots.allows(asked)
            if not verdict.allowed:
                return Found(url, "robots_denied", verdict.rule)
            answer = self._fetch(host, asked, robots.crawl_delay_s, robots.fetched)
            if answer.location is None:
                return self._contents(url, answer)
            asked = answer.location
        return Found(url, "redir_exceeded", f"more than {self._config.sitemap.redir_max} redirects")

    def _fetch(self, host: str, url: str, delay_s: float | None, robots_asked: bool) -> Answer:
        delay = max(self._config.fetcher.server_delay, delay_s or 0.0)
        if robots_asked:
            self._ready_at.setdefault(host, time.monotonic() + delay)
        self._stop.wait(max(0.0, self._ready_at.get(host, 0.0) - time.monotonic()))
        if self._stop.is_set():
            raise StoppedError("sitemap: asked to stop")
        limit = self._config.sitemap.size_max
        try:
            return self._http.fetch(FetchRequest(url), content_limit=limit)
        finally:
            self._ready_at[host] = time.monotonic() + delay

    def _contents(self, url: str, answer: Answer) -> Found:
        if answer.status is not ProtocolStatus.SUCCESS:
            return Found(url, str(answer.status), answer.reason)
        contents = read_contents(self._config, answer.content, url, self._clock())
        if contents.kind == "invalid":
            return Found(url, "failed_invalid_format", contents.reason)
        if contents.kind == "index" and self._config.sitemap.strict_parsing:
            _keep_own(contents, host_of(url))
        return Found(url, "read", contents.reason, contents)


def _keep_own(contents: SitemapContents, host: str) -> None:
    """An index names sitemaps of its own host only."""
    kept = [location for location in contents.locations if host_of(location.url) == host]
    refused = len(contents.locations) - len(kept)
    if refused:
        contents.rejected["sitemap.strict.parsing"] += refused
        contents.locations = kept


def read_contents(
    config: CrawlConfig, content: bytes, url: str, now: datetime, *, strict: bool | None = None
) -> SitemapContents:
    """What a sitemap at `url` names, by sitemap.strict.parsing and sitemap.size.max."""
    sitemap = config.sitemap
    return locations(
        content,
        url,
        strict=sitemap.strict_parsing if strict is None else strict,
        now=now,
        size_max=sitemap.size_max,
    )
