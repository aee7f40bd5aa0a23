"""The threads that write: the queues are never kept waiting by a disk."""

import contextlib
import queue
import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Self

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.storage.fetch_writer import FetchRecord, FetchWriter
from crawl_ops.storage.segment import Segment

QUEUED = 500
TICK_S = 0.5


class PartThread:
    """Writes to parts, one thing at a time; records go to journals meanwhile."""

    def __init__(self) -> None:
        self._executor = ThreadPoolExecutor(1, "fetch-parts")
        self._last: Future[None] | None = None

    def write(self, part: Callable[[], None]) -> None:
        """Have something written, when what was before is. Raises what writing that raised."""
        self.wait()
        self._last = self._executor.submit(part)

    def wait(self) -> None:
        """Until all is written. Raises what writing the last raised."""
        last, self._last = self._last, None
        if last is not None:
            last.result()

    def close(self) -> None:
        self._executor.shutdown()


class WriterThread:
    """Takes records of several fetch lists to their journals and parts, in the order given."""

    def __init__(
        self, segment: Segment, numbers: Iterable[int], attempt: str, config: CrawlConfig
    ) -> None:
        self._parts = PartThread()
        self._writers = {
            number: FetchWriter(segment, number, attempt, config, self._parts.write)
            for number in numbers
        }
        self._records: queue.Queue[tuple[int, FetchRecord] | None] = queue.Queue(QUEUED)
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._run, name="fetch-writer", daemon=True)
        self._thread.start()

    def put(self, number: int, record: FetchRecord) -> None:
        """Hand over a record of a list. Raises what writing an earlier one raised."""
        while True:
            self.check()
            with contextlib.suppress(queue.Full):
                self._records.put((number, record), timeout=TICK_S)
                return

    def check(self) -> None:
        """Raises what the writers raised: a disk that is full, a folder that is gone."""
        if self._error is not None:
            raise self._error

    def close(self) -> None:
        """Write all that was handed over, finish the open parts, and end."""
        if self._thread.is_alive():
            self._records.put(None)
            self._thread.join()
        self.check()

    def _run(self) -> None:
        try:
            while (entry := self._next()) is not None:
                number, record = entry
                self._writers[number].add(record, time.monotonic())
            for writer in self._writers.values():
                writer.roll()
            self._parts.wait()
        except BaseException as error:  # noqa: BLE001  (raised again by the thread that hands over)
            self._error = error
            self._drain()

    def _next(self) -> tuple[int, FetchRecord] | None:
        while True:
            for writer in self._writers.values():
                writer.tick(time.monotonic())
            with contextlib.suppress(queue.Empty):
                return self._records.get(timeout=TICK_S)

    def _drain(self) -> None:
        """Let nobody wait for a place in the queue of a thread that has failed."""
        with contextlib.suppress(queue.Empty):
            while True:
                self._records.get_nowait()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            with contextlib.suppress(*(() if kind is None else (Exception,))):
                self.close()
        finally:
            self._parts.close()
            for writer in self._writers.values():
                writer.abandon()
