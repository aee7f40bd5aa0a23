"""Threads that ask, one scheduler that says what and when. No thread holds a lock."""

import queue
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.jobs.fetching.items import FetchItem
from crawl_ops.model import ProtocolStatus
from crawl_ops.protocol.answer import Answer, FetchRequest
from crawl_ops.protocol.http import HttpProtocol
from crawl_ops.protocol.robots import RobotsAnswer, RobotsRules

Clock = Callable[[], datetime]


@dataclass(slots=True)
class Result:
    """What asking for an item came to: an answer, or why nothing was asked.

    token: what the queues know the item by. ended: monotonic seconds.
    """

    token: Any
    item: FetchItem
    ended: float
    robots: RobotsAnswer | None = None
    answer: Answer | None = None
    denied: str | None = None
    deferred: str | None = None


class Workers:
    """Threads that take items and give results."""

    def __init__(
        self, config: CrawlConfig, http: HttpProtocol, robots: RobotsRules, clock: Clock, count: int
    ) -> None:
        self._config = config
        self._http = http
        self._robots = robots
        self._clock = clock
        self._work: queue.SimpleQueue[tuple[Any, FetchItem] | None] = queue.SimpleQueue()
        self._results: queue.SimpleQueue[Result] = queue.SimpleQueue()
        self._threads = [
            threading.Thread(target=self._run, name=f"fetch-{number}", daemon=True)
            for number in range(count)
        ]
        self.busy = 0
        for thread in self._threads:
            thread.start()

    @property
    def idle(self) -> int:
        return len(self._threads) - self.busy

    def give(self, token: Any, item: FetchItem) -> None:
        """Have an item asked for."""
        self.busy += 1
        self._work.put((token, item))

    def results(self, timeout: float) -> list[Result]:
        """Results there are; waits up to `timeout` seconds for the first."""
        found: list[Result] = []
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
            token, item = work
            try:
                result = self._ask(token, item)
            except Exception as error:  # noqa: BLE001  (a fault of ours costs its own URL only)
                reason = f"program error: {type(error).__name__}: {error}"[:500]
                answer = Answer(url=item.url, status=ProtocolStatus.FAILED, reason=reason)
                result = Result(token, item, time.monotonic(), answer=answer)
            self._results.put(result)

    def _ask(self, token: Any, item: FetchItem) -> Result:
        robots = self._robots.of(item.url, self._clock())
        result = Result(token, item, time.monotonic(), robots)
        if robots.outcome == "deferred":
            result.deferred = robots.reason or "robots.txt cannot be had"
            return result
        if denied := self._denied(item, robots):
            result.denied = denied
            return result
        row = item.row
        known = row["signature"] is not None
        result.answer = self._http.fetch(
            FetchRequest(
                url=item.url,
                modified_time=row["modified_time"] if known else None,
                etag=row["etag"] if known else None,
                last_modified=row["last_modified"] if known else None,
            )
        )
        result.ended = time.monotonic()
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
