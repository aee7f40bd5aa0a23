"""fetch: ask for the URLs of a segment, politely."""

import contextlib
import logging
import threading
import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime

from filelock import FileLock, Timeout

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.errors import NotFoundError, StoppedError, StoreError, os_reason
from crawl_ops.jobs.fetching.engine import Workers
from crawl_ops.jobs.fetching.run import FetchRun
from crawl_ops.jobs.fetching.writing import WriterThread
from crawl_ops.model import JobReport
from crawl_ops.protocol.http import HttpProtocol
from crawl_ops.protocol.robots import RobotsRules
from crawl_ops.storage.crawl_dir import CrawlDir
from crawl_ops.storage.fetch_list import FetchList
from crawl_ops.storage.fetch_writer import fetched_keys, open_redirects, recover
from crawl_ops.storage.not_due import NotDue
from crawl_ops.storage.outcomes import fetch_counts
from crawl_ops.storage.saved_robots import saved_robots
from crawl_ops.storage.segment import Segment
from crawl_ops.urls.chain import UrlChain
from crawl_ops.urls.identity import UrlIdentifier

log = logging.getLogger(__name__)

Progress = Callable[[str], None]
LOCK_WAIT_S = 1.0


def fetch(
    crawl: CrawlDir,
    config: CrawlConfig,
    segment: str,
    clock: Callable[[], datetime],
    *,
    partition: int | None = None,
    stop: threading.Event | None = None,
    progress: Progress | None = None,
) -> JobReport:
    """Fetch the lists of a segment, or the one of `partition` (from 0), politely (Nutch rules 5).

    What an earlier attempt has fetched is not asked for again; a finished list is not touched.
    stop: when it is set, running requests end, what was fetched is kept, StoppedError is raised.
    """
    started = time.monotonic()
    found = crawl.segment(segment)
    numbers = _numbers(found, partition)
    http = HttpProtocol(config)
    try:
        # A finished list needs no lock: its folder may be read-only.
        with _alone(found, _unfinished(found, numbers), stop):
            todo = _unfinished(found, numbers)
            if todo:
                log.info("fetch %s: lists %s", found.name, ", ".join(map(str, todo)))
                _fetch_lists(crawl, config, found, todo, clock, http, stop, progress)
    finally:
        http.close()
    counts: Counter[str] = Counter()
    for number in numbers:
        counts.update((found.done("fetch", number) or {}).get("counts", {}))
    details = {"partition": partition, "already_done": not todo}
    report = JobReport("fetch", found.name, dict(counts), time.monotonic() - started, details)
    log.info("fetch %s: %s in %.1f s", found.name, report.counts, report.seconds)
    return report


def _numbers(segment: Segment, partition: int | None) -> list[int]:
    numbers = segment.lists()
    if partition is None:
        return numbers
    if partition not in numbers:
        raise NotFoundError(f"segment {segment.name} has no fetch list {partition}")
    return [partition]


def _unfinished(segment: Segment, numbers: Sequence[int]) -> list[int]:
    return [number for number in numbers if segment.done("fetch", number) is None]


@contextlib.contextmanager
def _alone(
    segment: Segment, numbers: Sequence[int], stop: threading.Event | None
) -> Iterator[None]:
    """Nobody else on this machine fetches these lists meanwhile: a host is not asked by two."""
    with contextlib.ExitStack() as held:
        for number in numbers:
            held.enter_context(_lock(segment, number, stop))
        yield


@contextlib.contextmanager
def _lock(segment: Segment, number: int, stop: threading.Event | None) -> Iterator[None]:
    folder = segment.journal_folder(number)
    told = False
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = FileLock(folder / ".lock")
        while True:
            with contextlib.suppress(Timeout):
                lock.acquire(timeout=LOCK_WAIT_S)
                break
            if stop is not None and stop.is_set():
                raise StoppedError("fetch: asked to stop while another fetch had the list")
            if not told:
                log.info("fetch %s: list %d is being fetched; waiting", segment.name, number)
                told = True
    except OSError as error:
        raise StoreError(f"{error.filename or folder}: {os_reason(error)}") from error
    try:
        yield
    finally:
        lock.release()


def _fetch_lists(
    crawl: CrawlDir,
    config: CrawlConfig,
    segment: Segment,
    numbers: Sequence[int],
    clock: Callable[[], datetime],
    http: HttpProtocol,
    stop: threading.Event | None,
    progress: Progress | None,
) -> None:
    segment.note_filters(UrlChain(config, "fetcher").filters)
    attempt = f"{clock():%Y%m%d%H%M%S}-{uuid.uuid4().hex[:8]}"
    for number in numbers:
        if regained := recover(segment, number):
            log.info("fetch %s: %d urls of a killed attempt regained", segment.name, regained)
    lists = {number: FetchList(segment, number) for number in numbers}
    done = {number: fetched_keys(segment, number) for number in numbers}
    robots = RobotsRules(config, http)
    _remember_robots(crawl, lists.values(), robots)
    open_urls = sum(rows.total - len(done[n]) for n, rows in lists.items())
    threads = max(1, min(config.fetcher.threads_fetch, open_urls, _useful(config, lists.values())))
    workers = Workers(config, http, robots, clock, threads, stop)
    not_due = NotDue(crawl, config)
    try:
        with WriterThread(segment, numbers, attempt, config) as writer:
            identifier = UrlIdentifier(crawl.seed)
            run = FetchRun(
                config, clock, workers, writer, lists, done, identifier, not_due, attempt
            )
            for number in numbers:
                if done[number]:
                    run.resume(number, open_redirects(segment, number))
            run.run(stop, progress)
    finally:
        workers.close()
        not_due.close()
    if not crawl.files.exists(f"{segment.folder}/segment.json"):
        raise StoreError(f"segment {segment.name} was removed while it was being fetched")
    for number in numbers:
        segment.finish("fetch", number, {"counts": fetch_counts(crawl, config, segment, number)})


def _useful(config: CrawlConfig, lists: Iterable[FetchList]) -> int:
    """Threads that can have work at the same time: nothing is asked of hosts of other lists."""
    fetcher = config.fetcher
    if fetcher.queue_mode == "byIP":  # hosts wait for look-ups, which take threads too
        return fetcher.threads_fetch
    return len(set().union(*(rows.hosts() for rows in lists))) * fetcher.threads_per_queue


def _remember_robots(crawl: CrawlDir, lists: Iterable[FetchList], robots: RobotsRules) -> None:
    """Good copies of robots.txt that the hostdb keeps are used while they are young enough."""
    hosts = set().union(*(rows.hosts() for rows in lists))
    for saved in saved_robots(crawl, hosts):
        robots.remember(saved.origin, saved.content, saved.time)
