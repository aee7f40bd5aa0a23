"""The threads that write: the queues are never kept waiting by a disk."""

import contextlib
import queue
import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Self, TypeAlias

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.storage.fetch_writer import FetchRecord, FetchWriter
from crawl_ops.storage.segment import Segment

BATCH = 50  # most records handed over at once
QUEUED = 10
TICK_S = 0.5
Batch: TypeAlias = list[tuple[int, FetchRecord]]


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
        self._batch: Batch = []
        self._batches: queue.Queue[Batch | None] = queue.Queue(QUEUED)
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._run, name="fetch-writer", daemon=True)
        self._thread.start()

    def put(self, number: int, record: FetchRecord) -> None:
        """Take a record of a list, for `hand_over`. Raises what writing an earlier one raised."""
        self._batch.append((number, record))
        if len(self._batch) >= BATCH:
            self.hand_over()

    def hand_over(self) -> None:
        """Have written what was put: the thread is woken once for all of it."""
        self.check()
        if not self._batch:
            return
        batch, self._batch = self._batch, []
        while True:
            with contextlib.suppress(queue.Full):
                self._batches.put(batch, timeout=TICK_S)
                return
            self.check()

    def check(self) -> None:
        """Raises what the writers raised: a disk that is full, a folder that is gone."""
        if self._error is not None:
            raise self._error

    def close(self) -> None:
        """Write all that was put, finish the open parts, and end."""
        self.hand_over()
        if self._thread.is_alive():
            self._batches.put(None)
            self._thread.join()
        self.check()

    def _run(self) -> None:
        try:
            while (batch := self._next()) is not None:
                for number, record in batch:
                    self._writers[number].add(record, time.monotonic())
            for writer in self._writers.values():
                writer.roll()
            self._parts.wait()
        except BaseException as error:  # noqa: BLE001  (raised again by the thread that hands over)
            self._error = error
            self._drain()

    def _next(self) -> Batch | None:
        while True:
            for writer in self._writers.values():
                writer.tick(time.monotonic())
            with contextlib.suppress(queue.Empty):
                return self._batches.get(timeout=TICK_S)

    def _drain(self) -> None:
        """Let nobody wait for a place in the queue of a thread that has failed."""
        with contextlib.suppress(queue.Empty):
            while True:
                self._batches.get_nowait()

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
