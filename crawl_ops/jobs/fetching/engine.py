"""Threads that ask, one scheduler that says what and when. No thread holds a lock."""

import queue
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.jobs.fetching.items import SITEMAP, FetchItem, cookie_of
from crawl_ops.model import ProtocolStatus
from crawl_ops.protocol.answer import Answer, FetchRequest
from crawl_ops.protocol.http import HttpProtocol
from crawl_ops.protocol.plugs import Protocols
from crawl_ops.protocol.robots import RobotsAnswer, RobotsRules

Clock = Callable[[], datetime]
_WITH_ROBOTS = ("http://", "https://")


@dataclass(slots=True)
class Result:
    """What asking for an item came to: an answer, or why nothing was asked.

    token: what the queues know the item by. ended: monotonic seconds.
    sitemaps: what a sitemap index names.
    """

    token: Any
    item: FetchItem
    ended: float
    robots: RobotsAnswer | None = None
    answer: Answer | None = None
    denied: str | None = None
    deferred: bool = False
    sitemaps: tuple[str, ...] = ()


@dataclass(slots=True)
class Address:
    """The address of a host; None if it has none."""

    host: str
    address: str | None


class Workers:
    """Threads that take items and give results."""

    def __init__(
        self, config: CrawlConfig, http: HttpProtocol, robots: RobotsRules, clock: Clock, count: int
    ) -> None:
        self._config = config
        self._http = http
        self._protocols = Protocols(config, http)
        self._robots = robots
        self._clock = clock
        self._work: queue.SimpleQueue[tuple[Any, FetchItem] | str | None] = queue.SimpleQueue()
        self._results: queue.SimpleQueue[Result | Address] = queue.SimpleQueue()
        self._threads = [
            threading.Thread(target=self._run, name=f"fetch-{number}", daemon=True)
            for number in range(count)
        ]
        self.busy = 0
        for thread in self._threads:
            thread.start()

    @property
    def count(self) -> int:
        return len(self._threads)

    @property
    def idle(self) -> int:
        return len(self._threads) - self.busy

    def give(self, token: Any, item: FetchItem) -> None:
        """Have an item asked for."""
        self.busy += 1
        self._work.put((token, item))

    def look_up(self, host: str) -> None:
        """Have the address of a host looked up."""
        self.busy += 1
        self._work.put(host)

    def results(self, timeout: float) -> list[Result | Address]:
        """Results there are; waits up to `timeout` seconds for the first."""
        found: list[Result | Address] = []
        try:
            found.append(self._results.get(timeout=max(timeout, 0.0)))
            while True:
                found.append(self._results.get_nowait())
        except queue.Empty:
            self.busy -= len(found)
            return found

    def close(self) -> None:
        """Let the threads end after what they are doing."""
        for _ in self._threads:
            self._work.put(None)

    def _run(self) -> None:
        while (work := self._work.get()) is not None:
            self._results.put(self._address(work) if isinstance(work, str) else self._result(*work))

    def _address(self, host: str) -> Address:
        try:
            return Address(host, self._http.ip_address_of(f"http://{host}/"))
        except BaseException:  # noqa: BLE001  (a fault of ours: the host is a queue of its own)
            return Address(host, None)

    def _result(self, token: Any, item: FetchItem) -> Result:
        try:
            return self._ask(token, item)
        # A plug-in that calls sys.exit would end this thread, and the run would wait for ever.
        except BaseException as error:  # noqa: BLE001  (a fault of ours costs its own URL only)
            reason = f"program error: {type(error).__name__}: {error}"[:500]
            answer = Answer(url=item.url, status=ProtocolStatus.FAILED, reason=reason)
            return Result(token, item, time.monotonic(), answer=answer)

    def _ask(self, token: Any, item: FetchItem) -> Result:
        result = Result(token, item, time.monotonic())
        if item.url.startswith(_WITH_ROBOTS):
            result.robots = robots = self._robots.of(item.url, self._clock())
            result.ended = time.monotonic()
            result.deferred = robots.outcome == "deferred"
            result.denied = None if result.deferred else self._denied(item, robots)
            if result.deferred or result.denied is not None:
                return result
        result.answer = answer = self._protocols.fetch(_request(item))
        result.ended = time.monotonic()
        if item.kind == SITEMAP and answer.status is ProtocolStatus.SUCCESS:
            result.sitemaps = self._named(item, answer)
        return result

    def _denied(self, item: FetchItem, robots: RobotsAnswer) -> str | None:
        verdict = robots.allows(item.url)
        if not verdict.allowed:
            return f"robots.txt of {robots.origin}: {verdict.rule or robots.reason or 'disallowed'}"
        longest = self._config.fetcher.max_crawl_delay
        delay = robots.crawl_delay_s
        if delay is not None and longest >= 0 and delay > longest:
            return (
                f"robots.txt of {robots.origin}: Crawl-delay {delay:g} s is above"
                f" fetcher.max.crawl.delay {longest:g}"
            )
        return None

    def _named(self, item: FetchItem, answer: Answer) -> tuple[str, ...]:
        """The sitemaps that a sitemap index names; pages are left to parse."""
        # Here: many a fetch never reads one, and lxml takes time and memory.
        from crawl_ops.parse.sitemap import locations

        sitemap = self._config.sitemap
        try:
            contents = locations(
                answer.content,
                item.url,
                hint=answer.charset_hint,
                strict=sitemap.strict_parsing,
                now=self._clock(),
                size_max=sitemap.size_max,
            )
        except Exception:  # noqa: BLE001  (parse will say what is wrong with it)
            return ()
        if contents.kind != "index":
            return ()
        return tuple(location.url for location in contents.locations)


def _request(item: FetchItem) -> FetchRequest:
    row = item.row
    cookie = cookie_of(row["metadata"])
    if row["signature"] is None:
        return FetchRequest(item.url, cookie=cookie)
    return FetchRequest(
        item.url,
        cookie=cookie,
        modified_time=row["modified_time"],
        etag=row["etag"],
        last_modified=row["last_modified"],
    )
