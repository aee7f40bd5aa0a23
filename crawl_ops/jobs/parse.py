"""parse: from the bytes of a segment to text, metadata and links."""

import contextlib
import gc
import logging
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.errors import NotFoundError, StoppedError, StoreError
from crawl_ops.jobs.parsing.outlinks import OutlinkJudge
from crawl_ops.jobs.parsing.unit import Unit
from crawl_ops.model import JobReport
from crawl_ops.parse.pool import ParserPool
from crawl_ops.storage.crawl_dir import CrawlDir
from crawl_ops.storage.outcomes import parse_counts
from crawl_ops.storage.segment import PartFile, Segment
from crawl_ops.urls.identity import UrlIdentifier

log = logging.getLogger(__name__)

Progress = Callable[[str], None]
COLLECT_EVERY = 50_000  # objects: the links of some thousand pages


def parse(
    crawl: CrawlDir,
    config: CrawlConfig,
    segment: str,
    now: datetime,
    *,
    partition: int | None = None,
    stop: threading.Event | None = None,
    progress: Progress | None = None,
) -> JobReport:
    """Parse the content of a segment, or of one fetch list (Nutch rules 8 and 9).

    A pure function of the content: a content file that was parsed is not parsed again.
    Raises StoreError if a list has not been fetched to its end.
    """
    started = time.monotonic()
    found = crawl.segment(segment)
    numbers = _numbers(found, partition)
    todo = [number for number in numbers if found.done("parse", number) is None]
    for number in todo:
        if found.done("fetch", number) is None:
            raise StoreError(f"segment {found.name}: list {number} is not fetched yet; run fetch")
    if todo:
        log.info("parse %s: lists %s", found.name, ", ".join(map(str, todo)))
        _parse_lists(crawl, config, found, todo, now, stop, progress)
    counts: Counter[str] = Counter()
    for number in numbers:
        counts.update((found.done("parse", number) or {}).get("counts", {}))
    details = {"partition": partition, "already_done": not todo}
    report = JobReport("parse", found.name, dict(counts), time.monotonic() - started, details)
    log.info("parse %s: %s in %.1f s", found.name, report.counts, report.seconds)
    return report


def _numbers(segment: Segment, partition: int | None) -> list[int]:
    numbers = segment.lists()
    if partition is None:
        return numbers
    if partition not in numbers:
        raise NotFoundError(f"segment {segment.name} has no fetch list {partition}")
    return [partition]


def _parse_lists(
    crawl: CrawlDir,
    config: CrawlConfig,
    segment: Segment,
    numbers: Sequence[int],
    now: datetime,
    stop: threading.Event | None,
    progress: Progress | None,
) -> None:
    meter = _Meter(stop, progress)
    judge = OutlinkJudge(config, UrlIdentifier(crawl.seed))
    moment = now.replace(microsecond=now.microsecond // 1000 * 1000)
    segment.note_filters(judge.filters)
    with ParserPool(config) as pool, _frozen():
        unit = Unit(config, segment, pool, judge, moment, meter.each)
        for number in numbers:
            for file in _open_files(segment, number):
                unit.parse(file)
            segment.finish(
                "parse", number, {"counts": parse_counts(crawl, config, segment, number)}
            )


@contextlib.contextmanager
def _frozen() -> Iterator[None]:
    """Leaves what is loaded out of garbage collections, which rows seldom set off."""
    before = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(COLLECT_EVERY)
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()


def _open_files(segment: Segment, number: int) -> list[PartFile]:
    done = {file.stem for file in segment.part_files("parse_data", [number])}
    return [file for file in segment.part_files("content", [number]) if file.stem not in done]


class _Meter:
    """Counts pages, shows progress, and ends the job when asked to stop."""

    def __init__(self, stop: threading.Event | None, progress: Progress | None) -> None:
        self._stop = stop
        self._progress = progress
        self._started = self._shown = time.monotonic()
        self._pages = 0

    def each(self, pages: int) -> None:
        self._pages += pages
        if self._stop is not None and self._stop.is_set():
            raise StoppedError("parse: asked to stop; finished files are kept")
        now = time.monotonic()
        if self._progress and now - self._shown >= 1.0:
            self._shown = now
            rate = self._pages / (now - self._started)
            self._progress(f"{self._pages} pages parsed, {rate:.0f} pages/s")
