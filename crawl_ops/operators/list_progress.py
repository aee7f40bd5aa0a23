"""What a running fetch or parse tells: lines in the task's log, and a small file."""

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from crawl_ops.storage.progress import ProgressFile, ProgressLine

if TYPE_CHECKING:
    from crawl_ops.storage.crawl_dir import CrawlDir

LOG_EVERY_S = 10.0
FILE_EVERY_S = 2.0

_log = logging.getLogger(__name__)


class ListProgress:
    """The progress callback of a task; the file, of a fetch only, is what the run's page reads."""

    def __init__(self, crawl: "CrawlDir", segment: str, number: int | None) -> None:
        self._list = crawl, segment, number
        self._file: ProgressFile | None = None
        self._logged = self._written = float("-inf")

    def __call__(self, line: str) -> None:
        now = time.monotonic()
        if now - self._logged >= LOG_EVERY_S:
            _log.info(line)
            self._logged = now
        if isinstance(line, ProgressLine) and now - self._written >= FILE_EVERY_S:
            if self._file is None:
                crawl, segment, number = self._list
                self._file = ProgressFile(crawl.files, segment, number)
            self._file.put(line.numbers, datetime.now(UTC))
            self._written = now

    def end(self) -> None:
        """The fetch is over: what it brought is in the segment."""
        if self._file is not None:
            self._file.remove()


@contextmanager
def list_progress(crawl: "CrawlDir", segment: str, number: int | None) -> Iterator[ListProgress]:
    """A callback for the time of one fetch or parse."""
    progress = ListProgress(crawl, segment, number)
    try:
        yield progress
    finally:
        progress.end()
