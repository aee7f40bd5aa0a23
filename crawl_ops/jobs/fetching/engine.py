"""Threads that ask, one scheduler that says what and when. No thread holds a lock."""

import contextlib
import math
import queue
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.jobs.fetching.items import SITEMAP, FetchItem, Taken, Token, cookie_of
from crawl_ops.model import ProtocolStatus
from crawl_ops.protocol.answer import Answer, FetchRequest
from crawl_ops.protocol.http import HttpProtocol
from crawl_ops.protocol.plugs import Protocols
from crawl_ops.protocol.robots import RobotsAnswer, RobotsRules

Clock = Callable[[], datetime]
_WITH_ROBOTS = ("http://", "https://")


BATCH_S = 0.25  # nothing more of a batch is begun after so long
LOOK_S = 0.004  # an answer is looked at after so long, if another comes, or when its batch ends
WAIT_S = 0.05  # … or at the latest after so long


@dataclass(slots=True)
class Result:
    """What asking for an item came to: an answer, or why nothing was asked.

    token: what the queues know the item by. ended: monotonic seconds.
    sitemaps: what a sitemap index names.
    """

    token: Token
    item: FetchItem
    ended: float
    robots: RobotsAnswer | None = None
    answer: Answer | None = None
    denied: str | None = None
    deferred: bool = False
    sitemaps: tuple[str, ...] = ()

    @property
    def is_plain(self) -> bool:
        """Whether nothing of it says when, or whether, the site may be asked again."""
        robots, answer = self.robots, self.answer
        if robots is not None and (robots.fetched or robots.crawl_delay_s is not None):
            return False
        if answer is None:
            return not self.deferred
        status = answer.http_status or 0
        return (
            answer.status is not ProtocolStatus.EXCEPTION
            and answer.retry_after_s is None
            and status < 500
            and status != 429
        )


@dataclass(slots=True)
class Ended:
    """The last result of items of one site that were given together, and those not asked for."""

    result: Result
    unasked: Sequence[Taken]


@dataclass(slots=True)
class Address:
    """The address of a host; None if it has none."""

    host: str
    address: str | None


class Workers:
    """Threads that take items and give results.

    stop: once it is set nothing more is begun of items that were given together. ends: the same
    from that monotonic second on.
    """

    def __init__(
        self,
        config: CrawlConfig,
        http: HttpProtocol,
        robots: RobotsRules,
        clock: Clock,
        count: int,
        stop: threading.Event | None = None,
    ) -> None:
        self._stop = stop
        self.ends = math.inf
        self._config = config
        self._http = http
        self._protocols = Protocols(config, http)
        self._robots = robots
        self._clock = clock
        self._work: queue.SimpleQueue[Sequence[Taken] | str | None] = queue.SimpleQueue()
        self._between: deque[Result] = deque()  # results of items with more to come behind them
        self._results: queue.SimpleQueue[Ended | Address | None] = queue.SimpleQueue()
        self._looked = 0.0
        self._threads = [
            threading.Thread(target=self._run, name=f"fetch-{number}", daemon=True)
            for number in range(count)
        ]
        self.busy = 0  # threads that have something to do
        self.out = 0  # items that were given and are not back
        for thread in self._threads:
            thread.start()

    @property
    def count(self) -> int:
        return len(self._threads)

    @property
    def idle(self) -> int:
        return len(self._threads) - self.busy

    def give(self, taken: Sequence[Taken]) -> None:
        """Have items of one site asked for by one thread, one after the other.

        It goes on as long as answers are plain: what may change when the site is asked next is for
        the queues to know first. Nobody is woken for each answer: a switch of threads costs as
        much as a fifth of a page.
        """
        self.busy += 1
        self.out += len(taken)
        self._work.put(taken)

    def look_up(self, host: str) -> None:
        """Have the address of a host looked up."""
        self.busy += 1
        self._work.put(host)

    def results(self, timeout: float) -> list[Result | Ended | Address]:
        """Results there are, those of a site in order; waits up to `timeout` seconds for one."""
        ended: list[Ended | Address] = []
        if self.out > self.busy:  # a thread may have more to tell than what ends a wait
            timeout = min(timeout, WAIT_S)
        with contextlib.suppress(queue.Empty):
            told = self._results.get(timeout=max(timeout, 0.0))
            while True:
                if told is not None:
                    ended.append(told)
                told = self._results.get_nowait()
        self.busy -= len(ended)
        self._looked = time.monotonic()
        # Taken out after what ended: nothing of those sites is missing.
        between = [self._between.popleft() for _ in range(len(self._between))]
        self.out -= len(between)
        self.out -= sum(1 + len(one.unasked) for one in ended if isinstance(one, Ended))
        return [*between, *ended]

    def close(self) -> None:
        """Let the threads end after what they are doing."""
        for _ in self._threads:
            self._work.put(None)

    def _run(self) -> None:
        while (work := self._work.get()) is not None:
            self._results.put(self._address(work) if isinstance(work, str) else self._batch(work))

    def _batch(self, work: Sequence[Taken]) -> Ended:
        until = min(time.monotonic() + BATCH_S, self.ends)
        for number, (token, item) in enumerate(work, 1):
            result = self._result(token, item)
            if number == len(work) or result.ended > until or not result.is_plain:
                break
            if self._stop is not None and self._stop.is_set():
                break
            self._between.append(result)
            if result.ended > self._looked + LOOK_S:
                self._results.put(None)
        return Ended(result, work[number:])

    def _address(self, host: str) -> Address:
        try:
            return Address(host, self._http.ip_address_of(f"http://{host}/"))
        except BaseException:  # noqa: BLE001  (a fault of ours: the host is a queue of its own)
            return Address(host, None)

    def _result(self, token: Token, item: FetchItem) -> Result:
        try:
            return self._ask(token, item)
        # A plug-in that calls sys.exit would end this thread, and the run would wait for ever.
        except BaseException as error:  # noqa: BLE001  (a fault of ours costs its own URL only)
            reason = f"program error: {type(error).__name__}: {error}"[:500]
            answer = Answer(url=item.url, status=ProtocolStatus.FAILED, reason=reason)
            return Result(token, item, time.monotonic(), answer=answer)

    def _ask(self, token: Token, item: FetchItem) -> Result:
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
