"""One running of a fetch: what is asked next, and what becomes of every result."""

import logging
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.errors import StoppedError
from crawl_ops.jobs.fetching.engine import Address, Clock, Ended, Result, Workers
from crawl_ops.jobs.fetching.following import REDIRECTS, Follower, Source
from crawl_ops.jobs.fetching.items import FetchItem
from crawl_ops.jobs.fetching.limits import Limits
from crawl_ops.jobs.fetching.restraint import DEFERRED, RETRY_AFTER, Restraint
from crawl_ops.jobs.fetching.rows import (
    content_row,
    denied_row,
    fetch_row,
    rejected_row,
    robots_row,
)
from crawl_ops.jobs.fetching.schedule import Schedule
from crawl_ops.jobs.fetching.targets import Targets
from crawl_ops.jobs.fetching.telling import TOLD_BY_URL, progress_text
from crawl_ops.jobs.fetching.writing import WriterThread
from crawl_ops.model import ProtocolStatus
from crawl_ops.protocol.answer import Answer
from crawl_ops.protocol.robots import RobotsAnswer
from crawl_ops.storage.fetch_list import FetchList
from crawl_ops.storage.fetch_writer import FetchRecord
from crawl_ops.storage.not_due import NotDue
from crawl_ops.storage.progress import ProgressLine
from crawl_ops.urls.identity import UrlIdentifier

log = logging.getLogger(__name__)

TICK_S = 0.5
STOP_WAIT_S = 10.0  # what is on the wire may take so long when a stop is asked for
TAKEN_MOST = 16  # of one site at once, where there is no wait in between
EXCEPTIONS = "fetcher.max.exceptions.per.queue"


class FetchRun:
    """Fetches the open rows of some lists. All decisions are made by the one thread of `run`."""

    def __init__(
        self,
        config: CrawlConfig,
        clock: Clock,
        workers: Workers,
        writer: WriterThread,
        lists: Mapping[int, FetchList],
        done: Mapping[int, set[int]],
        identifier: UrlIdentifier,
        not_due: NotDue,
        attempt: str,
    ) -> None:
        self._config = config
        self._clock = clock
        self._workers = workers
        self._writer = writer
        self._identifier = identifier
        self._attempt = attempt
        self._schedule = Schedule(config, lists, done)
        self._limits = Limits(config, time.monotonic())
        workers.ends = self._limits.ends
        self._restraint = Restraint(config)
        targets = Targets(
            config, identifier, not_due, self._schedule.is_ours, self._schedule.has_seen
        )
        self._follower = Follower(config, identifier, targets, attempt, self._add)
        self._origins: set[str] = set()
        self._looking_up = 0
        self._stopped: float | None = None  # when a stop was first seen
        self.counts: Counter[str] = Counter()
        self.total = len(self._schedule)

    def resume(self, number: int, redirects: Sequence[Mapping[str, Any]]) -> None:
        """Go on with the redirects of a list that an earlier attempt did not see the end of."""
        self._follower.resume(number, redirects, self._clock())

    def run(self, stop: threading.Event | None, progress: Callable[[str], None] | None) -> None:
        """Fetch until all is done. Raises StoppedError if asked to stop, and what writers raise."""
        shown = time.monotonic()
        while self._workers.busy or len(self._schedule):
            now = time.monotonic()
            self._writer.check()
            stopped = stop is not None and stop.is_set()
            if stopped:
                self._stop(now)
            else:
                self._enforce_limits(now)
                self._dispatch(now)
            for told in self._workers.results(self._patience(now)):
                if isinstance(told, Address):
                    self._addressed(told)
                else:
                    self._told(told)
            self._writer.hand_over()
            if progress and now - shown >= 1.0:
                progress(self.progress_line(time.monotonic()))
                shown = now

    def _stop(self, now: float) -> None:
        """Raises StoppedError once nothing is on the wire, or has been there for too long."""
        busy = self._workers.busy
        if self._stopped is None:
            self._stopped = now
            if busy:
                log.info("fetch: asked to stop; %d on the wire may take %g s", busy, STOP_WAIT_S)
        if not busy:
            raise StoppedError("fetch: asked to stop; what was fetched is kept")
        if now - self._stopped >= STOP_WAIT_S:
            raise StoppedError(
                f"fetch: asked to stop; what was fetched is kept, {busy} still on the wire is not"
            )

    def progress_line(self, now: float) -> ProgressLine:
        """How it goes, for people: pages, pages a second, queues by state, what is left."""
        pages = sum(self.counts.values())
        rate = pages / max(now - self._limits.started, 0.001)
        hosts = self._schedule.hosts(now)
        left = len(self._schedule) + self._workers.out
        numbers = {
            "attempt": self._attempt,
            "pages": pages,
            "left": left,
            "rate": round(rate, 2),
            "counts": dict(self.counts),
            "hosts": hosts,
        }
        asked = self._schedule.on_the_wire(now) if left <= TOLD_BY_URL else ()
        return ProgressLine(progress_text(pages, left, rate, hosts, asked), numbers)

    # what to ask next

    def _dispatch(self, now: float) -> None:
        most = max(1, self._workers.count // 2)
        while self._workers.idle and self._looking_up < most:
            host = self._schedule.to_look_up()
            if host is None:
                break
            self._looking_up += 1
            self._workers.look_up(host)
        while self._workers.idle and (taken := self._schedule.take(now, TAKEN_MOST)):
            self._workers.give(taken)

    def _patience(self, now: float) -> float:
        """Seconds to wait for results before another look at the queues."""
        ready = self._schedule.ready_at() if self._workers.idle else None
        return TICK_S if ready is None else min(max(ready - now, 0.0), TICK_S)

    def _add(self, item: FetchItem) -> None:
        """Queue an item; one whose queue is blocked is left."""
        self._schedule.add(item)
        self._leave(self._schedule.purged(), EXCEPTIONS, None)

    # what is not asked

    def _enforce_limits(self, now: float) -> None:
        if rule := self._limits.broken(now, sum(self.counts.values())):
            self._leave(self._schedule.drop_all(), rule, None)

    def _leave(self, items: Iterable[FetchItem], rule: str, detail: str | None) -> None:
        """Items that will not be asked for in this fetch: they stay as they are, with a reason.

        What was found on the way is not known to anybody yet: a link keeps it for a later round.
        """
        now = self._clock()
        for item in items:
            row = rejected_row(item.k, item.url, rule, detail, now, self._attempt, item.via)
            link = self._follower.left(item)
            record = FetchRecord(rejected=[row], crawl_parse=[link] if link else [])
            self._writer.put(item.list, record)
            self.counts[f"left.{rule}"] += 1

    def _fail(self, items: Iterable[FetchItem], reason: str, now: datetime) -> None:
        """Items of a site that cannot be reached: each has failed, without being asked for."""
        for item in items:
            answer = Answer(url=item.url, status=ProtocolStatus.EXCEPTION, reason=reason)
            row = fetch_row(item, answer, self._config, now, self._attempt)
            self._writer.put(item.list, FetchRecord(crawl_fetch=[row]))
            self.counts[row["fetch_status"]] += 1

    # what a result means

    def _addressed(self, found: Address) -> None:
        self._looking_up -= 1
        self._schedule.address_found(found.host, found.address)
        self._leave(self._schedule.purged(), EXCEPTIONS, None)

    def _told(self, told: Result | Ended) -> None:
        if isinstance(told, Ended):
            # First: what becomes of the site's queue is for these too.
            self._schedule.give_back(told.unasked)
            told = told.result
        self._handle(told)

    def _handle(self, result: Result) -> None:
        source = Source(result.item, FetchRecord(), self._clock())
        if result.robots is not None:
            self._heed_delay(result.item, result.robots)
        self._schedule.release(result.token, result.ended, requested=result.answer is not None)
        if result.robots is not None and result.robots.fetched:
            self._note_robots(source, result.robots)
        if result.deferred and result.robots is not None:
            self._defer(source, result.robots, result.ended)
        elif result.denied is not None:
            row = denied_row(result.item, result.denied, self._config, source.now, self._attempt)
            self._done(source, row)
        elif result.answer is not None:
            self._answered(source, result, result.answer)
        if any((record := source.record).parts()):
            self._writer.put(result.item.list, record)

    def _done(self, source: Source, row: dict[str, Any]) -> None:
        source.record.crawl_fetch.append(row)
        self.counts[row["fetch_status"]] += 1

    def _answered(self, source: Source, result: Result, answer: Answer) -> None:
        item = source.item
        if self._wait_as_asked(source, result, answer):
            return
        if answer.status is ProtocolStatus.EXCEPTION:
            self._schedule.fail(item, result.ended)
            self._leave(self._schedule.purged(), EXCEPTIONS, answer.reason)
        row = fetch_row(item, answer, self._config, source.now, self._attempt)
        if answer.status in REDIRECTS:
            self._follower.redirect(source, answer, row)
        content = content_row(item, answer, self._config, source.now, self._attempt)
        if content is not None:
            source.record.content.append(content)
        if result.sitemaps:
            self._follower.sitemaps(source, item.url, result.sitemaps, same_host=True)
        self._done(source, row)

    # what a site asks for

    def _heed_delay(self, item: FetchItem, robots: RobotsAnswer) -> None:
        """Crawl-delay, from this request on (Nutch rule 5.2)."""
        if robots.crawl_delay_s is not None:
            fetcher = self._config.fetcher
            least = fetcher.min_crawl_delay
            least = fetcher.server_delay if least is None else least
            self._schedule.set_delay(item, max(robots.crawl_delay_s, least))

    def _note_robots(self, source: Source, robots: RobotsAnswer) -> None:
        identity = source.item.identity
        source.record.robots.append(robots_row(robots, identity, source.now, self._attempt))
        if robots.origin in self._origins or robots.outcome == "deferred":
            return
        self._origins.add(robots.origin)
        if self._config.robots_sitemaps.sitemaps_from_robots:
            self._follower.sitemaps(source, f"{robots.origin}/robots.txt", robots.sitemaps)

    def _defer(self, source: Source, robots: RobotsAnswer, ended: float) -> None:
        """robots.txt cannot be had (RFC 9309 §2.3.1.4): nothing of the origin is fetched.

        One that answers 5xx or 429 is asked again, then its origin is left for this round; one
        that cannot be reached at all has failed for all its URLs.
        """
        item = source.item
        if robots.http_status is None:
            reason = robots.reason or "robots.txt cannot be had"
            others = self._schedule.drop_origin(item, robots.origin)
            self._fail([item, *others], reason, source.now)
            return
        rest = self._restraint.deferred(robots, source.now)
        if rest.leave is not None:
            others = self._schedule.drop_origin(item, robots.origin)
            self._leave([item, *others], DEFERRED, rest.leave)
            return
        self._schedule.back_off(item, ended + rest.seconds)
        self._add(item)

    def _wait_as_asked(self, source: Source, result: Result, answer: Answer) -> bool:
        """Obey Retry-After within its limit: the site rests, then the URL is asked for again."""
        item = source.item
        rest = self._restraint.asked_to_wait(self._schedule.queue_of(item), answer, result.ended)
        if rest is None:
            return False
        if rest.leave is not None:
            origin = result.robots.origin if result.robots else ""
            self._leave(self._schedule.drop_origin(item, origin), RETRY_AFTER, rest.leave)
            return False
        self._schedule.back_off(item, result.ended + rest.seconds)
        self._add(item)
        return True
