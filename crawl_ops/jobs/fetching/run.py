"""One running of a fetch: queues, workers, and what becomes of every result."""

import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.errors import StoppedError
from crawl_ops.jobs.fetching.engine import Clock, Result, Workers
from crawl_ops.jobs.fetching.items import SITEMAP, FetchItem, ListRows, found_item
from crawl_ops.jobs.fetching.limits import Limits
from crawl_ops.jobs.fetching.rows import (
    content_row,
    denied_row,
    fetch_row,
    link_row,
    rejected_row,
    robots_row,
)
from crawl_ops.jobs.fetching.targets import Target, Targets, Way
from crawl_ops.jobs.fetching.writing import WriterThread
from crawl_ops.model import LinkKind, ProtocolStatus
from crawl_ops.parse.sitemap import SitemapContents, locations
from crawl_ops.protocol.answer import Answer
from crawl_ops.protocol.queues import FetchQueues, queues_of
from crawl_ops.protocol.robots import RobotsAnswer
from crawl_ops.storage.fetch_writer import FetchRecord
from crawl_ops.storage.lookup import CrawlDbLookup
from crawl_ops.urls.identity import UrlIdentifier, UrlIdentity
from crawl_ops.urls.redirect import repr_url

TICK_S = 0.5
STRICT = "sitemap.strict.parsing"
EXCEPTIONS = "fetcher.max.exceptions.per.queue"
RETRY_AFTER_TRIES = 2
REDIRECTS = (ProtocolStatus.MOVED, ProtocolStatus.TEMP_MOVED)
Token = tuple[int, int] | FetchItem  # (list, position), or an item found on the way


class FetchRun:
    """Fetches the open rows of some lists. All decisions are made by the one thread of `run`."""

    def __init__(
        self,
        config: CrawlConfig,
        clock: Clock,
        workers: Workers,
        writer: WriterThread,
        lists: Mapping[int, ListRows],
        done: Mapping[int, set[int]],
        identifier: UrlIdentifier,
        lookup: CrawlDbLookup,
        attempt: str,
    ) -> None:
        self._config = config
        self._clock = clock
        self._workers = workers
        self._writer = writer
        self._lists = lists
        self._identifier = identifier
        self._attempt = attempt
        self._queues: FetchQueues[Token] = queues_of(config)
        self._limits = Limits(config, time.monotonic())
        self._hosts = {number: rows.hosts() for number, rows in lists.items()}
        self._seen: set[int] = set().union(*done.values())
        self._targets = Targets(config, identifier, lookup, self._ours, self._seen.__contains__)
        self._origins: set[str] = set()
        self._sitemaps: Counter[str] = Counter()
        self.counts: Counter[str] = Counter()
        for number, rows in lists.items():
            for position, k, host, domain in rows.entries():
                if k not in done[number]:
                    self._queues.add((number, position), self._queue_id(host, domain))
                self._seen.add(k)
        self.total = len(self._queues)

    def run(self, stop: threading.Event | None, progress: Callable[[str], None] | None) -> None:
        """Fetch until all is done. Raises StoppedError if asked to stop, and what writers raise."""
        shown = time.monotonic()
        while self._workers.busy or len(self._queues):
            now = time.monotonic()
            self._writer.check()
            stopped = stop is not None and stop.is_set()
            if stopped and not self._workers.busy:
                raise StoppedError("fetch: asked to stop; what was fetched is kept")
            if not stopped:
                self._enforce_limits(now)
                self._dispatch(now)
            for result in self._workers.results(self._patience(now)):
                self._handle(result)
            if progress and now - shown >= 1.0:
                progress(self.progress_line(now))
                shown = now

    def progress_line(self, now: float) -> str:
        """How it goes, for people: pages, pages a second, queues by state."""
        pages = sum(self.counts.values())
        rate = pages / max(now - self._limits.started, 0.001)
        states = ", ".join(f"{n} {name}" for name, n in self._queues.states().items())
        left = len(self._queues) + self._workers.busy
        return f"{pages} of {pages + left} urls, {rate:.1f} pages/s; {states}"

    # what to ask next

    def _dispatch(self, now: float) -> None:
        while self._workers.idle and (token := self._queues.take(now)) is not None:
            self._workers.give(token, self._item(token))

    def _item(self, token: Token) -> FetchItem:
        if isinstance(token, FetchItem):
            return token
        number, position = token
        return self._lists[number].item(position)

    def _patience(self, now: float) -> float:
        """Seconds to wait for results before another look at the queues."""
        ready = self._queues.ready_at() if self._workers.idle else None
        return TICK_S if ready is None else min(max(ready - now, 0.0), TICK_S)

    def _queue_id(self, host: str, domain: str) -> str:
        return domain if self._config.fetcher.queue_mode == "byDomain" else host

    def _queue_of(self, item: FetchItem) -> str:
        return self._queue_id(item.row["host"], item.row["domain"])

    def _ours(self, host: str, number: int) -> bool:
        return host in self._hosts[number]

    def _add(self, item: FetchItem) -> None:
        """Queue an item; one whose queue is blocked is left."""
        self._queues.add(item, self._queue_of(item))
        self._purge(self._queues.purged(), EXCEPTIONS, None)

    # what ends a fetch early

    def _enforce_limits(self, now: float) -> None:
        if rule := self._limits.broken(now, sum(self.counts.values())):
            self._purge(self._queues.drop_all(), rule, None)

    def _purge(self, tokens: Sequence[Token], rule: str, detail: str | None) -> None:
        """Items that will not be asked for in this fetch: they stay as they are, with a reason."""
        now = self._clock()
        for token in tokens:
            item = self._item(token)
            row = rejected_row(item.k, item.url, rule, detail, now, self._attempt, item.via)
            self._writer.put(item.list, FetchRecord(rejected=[row]))
            self.counts[f"left.{rule}"] += 1

    # what a result means

    def _handle(self, result: Result) -> None:
        now = self._clock()
        record = FetchRecord()
        asked = result.answer is not None
        self._queues.release(result.token, result.ended, requested=asked)
        if result.robots is not None:
            self._note_robots(result.item, result.robots, record, now)
        if result.deferred is not None and result.robots is not None:
            self._defer(result, result.robots, result.deferred, now)
        elif result.denied is not None:
            row = denied_row(result.item, result.denied, now, self._attempt)
            record.crawl_fetch.append(row)
            self.counts[row["fetch_status"]] += 1
        elif result.answer is not None:
            self._answered(result, result.answer, record, now)
        if record.crawl_fetch or record.crawl_parse or record.rejected or record.robots:
            self._writer.put(result.item.list, record)

    def _defer(self, result: Result, robots: RobotsAnswer, reason: str, now: datetime) -> None:
        """robots.txt cannot be had (RFC 9309 §2.3.1.4): nothing of the host is fetched.

        One that answers 5xx or 429 is asked again, then the host is left for this round; a host
        that cannot be reached at all has failed for all its URLs.
        """
        http = self._config.http
        item, queue_id = result.item, self._queue_of(result.item)
        if robots.http_status is None:
            self._unreachable([item, *self._queues.drop(queue_id)], reason, now)
            return
        item.tries += 1
        if not http.robots_503_defer_visits or item.tries > http.robots_503_defer_visits_retries:
            self._purge([item, *self._queues.drop(queue_id)], "robots.txt deferred", reason)
            return
        self._queues.back_off(queue_id, result.ended + http.robots_503_defer_visits_delay / 1000)
        self._add(item)

    def _unreachable(self, tokens: Sequence[Token], reason: str, now: datetime) -> None:
        for token in tokens:
            item = self._item(token)
            answer = Answer(url=item.url, status=ProtocolStatus.EXCEPTION, reason=reason)
            row = fetch_row(item, answer, now, self._attempt)
            self._writer.put(item.list, FetchRecord(crawl_fetch=[row]))
            self.counts[row["fetch_status"]] += 1

    def _answered(self, result: Result, answer: Answer, record: FetchRecord, now: datetime) -> None:
        item, queue_id = result.item, self._queue_of(result.item)
        if self._wait_as_asked(result, answer, queue_id):
            return
        if answer.status is ProtocolStatus.EXCEPTION:
            self._queues.fail(queue_id, result.ended)
            self._purge(self._queues.purged(), EXCEPTIONS, answer.reason)
        row = fetch_row(item, answer, now, self._attempt)
        if answer.status in REDIRECTS:
            self._redirected(item, answer, row, record, now)
        content = content_row(item, answer, self._config, now, self._attempt)
        if content is not None:
            record.content.append(content)
            if item.kind == SITEMAP:
                self._sitemap_read(item, answer, record, now)
        record.crawl_fetch.append(row)
        self.counts[row["fetch_status"]] += 1

    def _wait_as_asked(self, result: Result, answer: Answer, queue_id: str) -> bool:
        """Obey Retry-After within its limit: the host rests, then the URL is asked for again."""
        seconds = answer.retry_after_s
        if seconds is None or answer.http_status not in (429, 503):
            return False
        until = result.ended + min(seconds, self._config.http.retry_after_max)
        self._queues.back_off(queue_id, until)
        result.item.tries += 1
        if seconds > self._config.http.retry_after_max or result.item.tries > RETRY_AFTER_TRIES:
            return False
        self._add(result.item)
        return True

    # redirects

    def _redirected(
        self,
        item: FetchItem,
        answer: Answer,
        row: dict[str, Any],
        record: FetchRecord,
        now: datetime,
    ) -> None:
        if answer.location is None:
            return
        source = self._identifier.identify(item.url)
        target = self._targets.of(source, item.url, answer.location, item.list, now)
        if target.identity is None or target.way is Way.REFUSED:
            row["reason"] = f"redirect to {target.url[:500]} refused: {_why(target)}"
            self._reject(item, target, record, now)
            return
        row["redirect_url"], row["reason"] = target.url, f"redirect to {target.url}"
        temporary = answer.status is ProtocolStatus.TEMP_MOVED
        represented = repr_url(item.repr_url or item.url, target.url, temporary)
        row["repr_url"] = item.repr_url
        limit = self._config.http.redirect_max
        if target.way is Way.KNOWN:
            return
        if target.way is Way.NOW and item.hops < limit:
            changes = {"hops": item.hops + 1, "repr_url": represented, "kind": item.kind}
            self._queue_found(item, target.url, target.identity, changes)
        elif item.hops >= limit > 0 and self._config.http.redirect_max_exceeded_skip:
            row["reason"] = f"redirect to {target.url} not followed: http.redirect.max {limit}"
        else:
            kind = LinkKind.REDIRECT
            link = link_row(
                item, source, item.url, target.url, target.identity, kind, self._attempt
            )
            record.crawl_parse.append(link)

    def _queue_found(
        self, source: FetchItem, url: str, identity: UrlIdentity, changes: Mapping[str, Any]
    ) -> None:
        found = found_item(source, url, identity, self._config, **changes)
        self._seen.add(identity.k)
        self._add(found)

    def _reject(self, item: FetchItem, target: Target, record: FetchRecord, now: datetime) -> None:
        k = (target.identity or self._identifier.identify(target.url)).k
        rule = target.rule or "refused"
        record.rejected.append(
            rejected_row(k, target.url, rule, target.detail, now, self._attempt, item.url)
        )

    # robots.txt and sitemaps

    def _note_robots(
        self, item: FetchItem, robots: RobotsAnswer, record: FetchRecord, now: datetime
    ) -> None:
        if robots.crawl_delay_s is not None:
            fetcher = self._config.fetcher
            least = (
                fetcher.server_delay if fetcher.min_crawl_delay is None else fetcher.min_crawl_delay
            )
            self._queues.set_delay(self._queue_of(item), max(robots.crawl_delay_s, least))
        if not robots.fetched or robots.origin in self._origins:
            return
        if robots.outcome != "deferred":
            self._origins.add(robots.origin)
        identity = self._identifier.identify(item.url)
        record.robots.append(robots_row(robots, identity, now, self._attempt))
        if self._config.robots_sitemaps.sitemaps_from_robots:
            source_url = f"{robots.origin}/robots.txt"
            self._sitemaps_found(item, source_url, robots.sitemaps, record, now)

    def _sitemap_read(
        self, item: FetchItem, answer: Answer, record: FetchRecord, now: datetime
    ) -> None:
        """A sitemap index names further sitemaps; pages are left to parse."""
        contents = self._locations(item, answer, now)
        if contents.kind == "index":
            urls = [location.url for location in contents.locations]
            self._sitemaps_found(item, item.url, urls, record, now, STRICT)

    def _locations(self, item: FetchItem, answer: Answer, now: datetime) -> SitemapContents:
        sitemap = self._config.sitemap
        return locations(
            answer.content,
            item.url,
            hint=answer.charset_hint,
            strict=sitemap.strict_parsing,
            now=now,
            size_max=sitemap.size_max,
        )

    def _sitemaps_found(
        self,
        item: FetchItem,
        source_url: str,
        urls: Sequence[str],
        record: FetchRecord,
        now: datetime,
        only_host: str | None = None,
    ) -> None:
        """Queue sitemaps. only_host: the rule by which those of other hosts are refused."""
        source = self._identifier.identify(source_url)
        for url in urls:
            if self._sitemaps[item.host] >= self._config.sitemap.max_per_host:
                rule = "sitemap.max.per.host"
                self._reject(item, Target(Way.REFUSED, url, rule=rule), record, now)
                continue
            target = self._targets.of(source, source_url, url, item.list, now)
            if target.way is Way.REFUSED or target.identity is None:
                self._reject(item, target, record, now)
            elif (
                only_host
                and self._config.sitemap.strict_parsing
                and (target.identity.host != source.host)
            ):
                refused = Target(
                    Way.REFUSED, target.url, target.identity, only_host, "another host"
                )
                self._reject(item, refused, record, now)
            elif target.way is Way.NOW:
                self._sitemaps[item.host] += 1
                self._queue_found(item, target.url, target.identity, {"kind": SITEMAP})
            elif target.way is Way.LATER:
                kind = LinkKind.SITEMAP
                record.crawl_parse.append(
                    link_row(
                        item, source, source_url, target.url, target.identity, kind, self._attempt
                    )
                )


def _why(target: Target) -> str:
    return f"{target.rule}: {target.detail}" if target.detail else str(target.rule)
