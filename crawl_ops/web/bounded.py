"""Questions on few threads of their own, so that the API server's stay free for Airflow."""

import asyncio
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeVar

Answer = TypeVar("Answer")

THREADS = 2
WAITING_MOST = 8
PATIENCE_S = 15.0
KEPT_MOST = 64
KEPT_TIMES = (
    5  # an answer is kept so many times as long as it took: one thread is idle 5/6 at least
)


class BusyError(Exception):
    """Too many questions wait, or this one takes longer than a page may wait. Ask again later."""


@dataclass(slots=True)
class _Asked:
    future: "Future[Any]"
    until: float = float("inf")  # monotonic: when the answer is too old


class Answers:
    """Answers by key. The same question is not asked twice at a time, nor anew while it is fresh.

    A question that takes too long goes on: whoever asks for it later finds its answer.
    """

    def __init__(
        self,
        *,
        threads: int = THREADS,
        waiting: int = WAITING_MOST,
        patience_s: float = PATIENCE_S,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="crawl-page")
        self._most = threads + waiting
        self._patience = patience_s
        self._clock = clock
        self._lock = threading.Lock()
        self._asked: OrderedDict[Hashable, _Asked] = OrderedDict()

    async def of(self, key: Hashable, ask: Callable[[], Answer], fresh_s: float = 1.0) -> Answer:
        """The answer of `ask`, at least `fresh_s` seconds long the same. Raises BusyError."""
        future: Future[Answer] = self._future(key, ask, fresh_s)
        try:
            return await asyncio.wait_for(
                asyncio.shield(asyncio.wrap_future(future)), self._patience
            )
        except TimeoutError:
            raise BusyError("This takes longer than a page may wait; ask again.") from None

    def _future(self, key: Hashable, ask: Callable[[], Answer], fresh_s: float) -> "Future[Answer]":
        with self._lock:
            now = self._clock()
            known = self._asked.get(key)
            if known is not None and known.until > now:
                self._asked.move_to_end(key)
                return known.future
            self._forget()
            if sum(not asked.future.done() for asked in self._asked.values()) >= self._most:
                raise BusyError("Too many questions at once; ask again.")
            asked = _Asked(Future())
            self._asked[key] = asked
        self._pool.submit(self._run, asked, ask, fresh_s)
        return asked.future

    def _run(self, asked: _Asked, ask: Callable[[], Any], fresh_s: float) -> None:
        started = self._clock()
        try:
            answer = ask()
        except Exception as error:  # noqa: BLE001  (raised again where it was asked)
            asked.until = self._clock()
            asked.future.set_exception(error)
            return
        ended = self._clock()
        asked.until = ended + max(fresh_s, KEPT_TIMES * (ended - started))
        asked.future.set_result(answer)

    def _forget(self) -> None:
        old = [key for key, asked in self._asked.items() if asked.future.done()]
        for key in old[: max(0, len(self._asked) - KEPT_MOST)]:
            del self._asked[key]
