"""Parsing pages in processes of their own, so that a page can hang or crash no more than one.

Pages go to the workers in batches; the results come back in the order of the pages.
"""

import queue
import threading
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from types import TracebackType
from typing import Self

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.model import ParseStatus
from crawl_ops.parse.answer import Answer
from crawl_ops.parse.frames import Setup
from crawl_ops.parse.page import Page, unparsed
from crawl_ops.parse.parsers import Parsers
from crawl_ops.parse.signature import signature
from crawl_ops.parse.worker import PageWork
from crawl_ops.parse.worker_process import WorkerDiedError, WorkerHungError, WorkerProcess

BATCH_PAGES = 32
BATCH_BYTES = 2 << 20
MEMORY_BYTES = 2 << 30
FOREVER_S = 300.0
"""What parser.timeout = -1 means: nothing is unbounded."""


class ParserPool:
    """Parses and signs pages in `processes` workers; 0 parses in this process, without a timeout.

    Workers start with the first pages and end with `close`, or with this process. A page that
    takes longer than `timeout_s` gets failed_timeout, one that ends its worker gets failed.
    Raises ConfigError for a parser plug-in that cannot be loaded.
    """

    def __init__(
        self,
        config: CrawlConfig,
        processes: int | None = None,
        timeout_s: float | None = None,
        memory_bytes: int = MEMORY_BYTES,
    ) -> None:
        self._config = config
        self._work = PageWork(Parsers(config))
        self._processes = config.parser.processes if processes is None else processes
        timeout_s = config.parser.timeout if timeout_s is None else timeout_s
        self._timeout_s = FOREVER_S if timeout_s < 0 else timeout_s
        self._setup = Setup(config.as_properties(), memory_bytes)
        self._idle: queue.SimpleQueue[WorkerProcess] = queue.SimpleQueue()
        self._all: set[WorkerProcess] = set()
        self._lock = threading.Lock()
        self._closed = False
        self._threads: ThreadPoolExecutor | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the workers. Pages not yet parsed are given up."""
        with self._lock:
            self._closed = True
            workers, self._all = self._all, set()
        for worker in workers:
            worker.stop()
        if self._threads is not None:
            self._threads.shutdown(cancel_futures=True)
        for worker in workers:
            worker.kill()

    def parse_all(self, pages: Iterable[Page]) -> Iterator[Answer]:
        """The results of `pages`, in their order, as they are needed.

        At most a few batches are read ahead. Raises CrawlError when no worker can be started.
        """
        if self._processes == 0:
            yield from map(self._work, pages)
            return
        if self._threads is None:
            self._threads = ThreadPoolExecutor(self._processes, "parser")
        waiting: deque[Future[list[Answer]]] = deque()
        try:
            for batch in _batches(pages):
                waiting.append(self._threads.submit(self._parse_batch, batch))
                if len(waiting) > self._processes + 1:
                    yield from waiting.popleft().result()
            while waiting:
                yield from waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()

    def _parse_batch(self, batch: list[Page]) -> list[Answer]:
        done: list[Answer] = []
        lost = 0
        while len(done) < len(batch):
            worker = self._worker()
            try:
                worker.send(batch[len(done) :])
                lost = 0
                while len(done) < len(batch):
                    done.append(worker.receive(self._timeout_s))
                self._idle.put(worker)
                return done
            except WorkerHungError:
                reason = f"not parsed in {self._timeout_s:g} s (parser.timeout)"
                done.append(self._failed(batch[len(done)], ParseStatus.FAILED_TIMEOUT, reason))
            except WorkerDiedError as error:
                lost += 1
                # A worker that is gone before it has the pages is not their fault, at first.
                if lost > 2 or worker.has_batch:
                    reason = f"the parser process {error}"
                    done.append(self._failed(batch[len(done)], ParseStatus.FAILED, reason))
            self._discard(worker)
        return done

    def _failed(self, page: Page, status: ParseStatus, reason: str) -> Answer:
        parsed = unparsed(page, status, reason)
        parsed.signature = signature(self._config, page, b"")
        return Answer.of(parsed, b"")

    def _worker(self) -> WorkerProcess:
        try:
            return self._idle.get_nowait()
        except queue.Empty:
            worker = WorkerProcess(self._setup)
        with self._lock:
            if not self._closed:
                self._all.add(worker)
                return worker
        worker.kill()
        raise RuntimeError("the parser pool is closed")

    def _discard(self, worker: WorkerProcess) -> None:
        with self._lock:
            self._all.discard(worker)
        worker.kill()


def _batches(pages: Iterable[Page]) -> Iterator[list[Page]]:
    batch: list[Page] = []
    size = 0
    for page in pages:
        batch.append(page)
        size += len(page.content)
        if len(batch) >= BATCH_PAGES or size >= BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch
