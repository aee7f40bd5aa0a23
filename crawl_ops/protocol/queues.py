"""Nutch's fetch queues as an engine: what may be fetched now, without clock and without thread."""

import heapq
from collections.abc import Sequence
from typing import Any, Generic, TypeVar

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.protocol.queue_of_items import Queue, told

Item = TypeVar("Item")

DOUBLINGS_MOST = 16
PENALTY_MOST_S = 86_400.0
SWEEP_EVERY = 10_000  # additions between two looks for queues that can be forgotten


class FetchQueues(Generic[Item]):
    """Items by queue; a heap of (ready time, queue) says which may be taken, without a scan.

    Times are float seconds of one clock (time.monotonic) and come as arguments. Not thread-safe:
    the fetch holds its own lock around every call. An item may be taken when its queue has less
    than `threads_per_queue` running and its next time has come. After a request that ended at t
    the next time is t + delay: `server_delay` or the queue's own (Crawl-delay) with one thread a
    queue, `server_min_delay` with more (Nutch). A queue with a delay of its own runs one request
    at a time even then: that is what its site asked for.

    `max_exceptions`: at the n-th failure the queue is emptied and blocked (-1: never); before, its
    next time moves by `exceptions_delay` * 2^(n-1).
    """

    def __init__(
        self,
        *,
        threads_per_queue: int = 1,
        server_delay: float = 5.0,
        server_min_delay: float = 0.0,
        max_exceptions: int = -1,
        exceptions_delay: float | None = None,
    ) -> None:
        self._slots = threads_per_queue
        self._delay = server_delay if threads_per_queue == 1 else server_min_delay
        self._max_exceptions = max_exceptions
        self._exceptions_delay = server_delay if exceptions_delay is None else exceptions_delay
        self._queues: dict[str, Queue[Item]] = {}
        self._heap: list[tuple[float, int, str]] = []
        self._entries = 0
        self._running: dict[int, tuple[Item, Queue[Item]]] = {}
        self._purged: list[Item] = []
        self._count = 0
        self._sweep_in = SWEEP_EVERY

    def __len__(self) -> int:
        """Items that wait; those that are running are not among them."""
        return self._count

    def add(self, item: Item, queue_id: str) -> bool:
        """Puts `item` at the end of its queue; False when that is blocked: then it is purged."""
        self._sweep_in -= 1
        queue = self._queue(queue_id)
        if queue.blocked:
            self._purged.append(item)
            return False
        queue.items.append(item)
        self._count += 1
        if not queue.in_heap:
            self._push(queue)
        return True

    def take(self, now: float) -> Item | None:
        """The next item that may be requested at `now`, or None. It is running until released."""
        if self._sweep_in <= 0:
            self._sweep(now)
        queue = self._first()
        if queue is None or queue.next_time > now:
            return None
        heapq.heappop(self._heap)
        queue.in_heap = 0
        item = queue.items.popleft()
        self._count -= 1
        queue.running += 1
        queue.since = now
        self._running[id(item)] = item, queue
        self._push(queue)
        return item

    def follow(self, item: Item, most: int) -> list[Item]:
        """Takes up to `most` items behind `item`, which is running, that may be asked right after.

        None where there is to be a wait in between, or somebody else may ask meanwhile, or what
        the site wants is not known: before an item of the queue has been released. They are
        released in their order, or given back.
        """
        _, queue = self._running[id(item)]
        delay = self._delay if queue.delay_s is None else queue.delay_s
        if delay > 0 or queue.slots != 1 or queue.running != 1 or not queue.is_known:
            return []
        items = [queue.items.popleft() for _ in range(min(most, len(queue.items)))]
        self._count -= len(items)
        queue.running += len(items)
        self._running.update((id(one), (one, queue)) for one in items)
        return items

    def give_back(self, items: Sequence[Item]) -> None:
        """Items of one queue that were taken and not asked for are its first again, in order."""
        for item in reversed(items):
            _, queue = self._running.pop(id(item))
            queue.running -= 1
            if queue.blocked:
                self._purged.append(item)
                continue
            queue.items.appendleft(item)
            self._count += 1
            self._push(queue)

    def ready_at(self) -> float | None:
        """When the next item may be taken; None when no queue has an item and a free slot."""
        queue = self._first()
        return None if queue is None else queue.next_time

    def release(self, item: Item, now: float, *, requested: bool = True) -> None:
        """`item`, the very object that was taken, is done. Without a request no delay is added."""
        _, queue = self._running.pop(id(item))
        queue.running -= 1
        queue.is_known = True
        if requested:
            delay = self._delay if queue.delay_s is None else queue.delay_s
            queue.next_time = max(queue.next_time, now + delay)
        self._push(queue)

    def set_delay(self, queue_id: str, seconds: float) -> None:
        """The queue's own delay (Crawl-delay), from the end of the next request on."""
        queue = self._queue(queue_id)
        queue.delay_s = max(seconds, self._delay) if self._slots > 1 else seconds
        queue.slots = 1

    def back_off(self, queue_id: str, until: float) -> None:
        """Nothing of the queue before `until` (Retry-After, deferred robots.txt)."""
        queue = self._queue(queue_id)
        queue.next_time = max(queue.next_time, until)
        self._push(queue)

    def fail(self, queue_id: str, now: float) -> int:
        """A request to the queue failed at `now`; the number of items that are purged for it.

        `purged()` has the items. Called before or after the release of the failed item.
        """
        queue = self._queue(queue_id)
        queue.exceptions += 1
        if 0 <= self._max_exceptions <= queue.exceptions:
            queue.blocked = True
            dropped = self._empty(queue)
            self._purged.extend(dropped)
            return len(dropped)
        delay = self._delay if queue.delay_s is None else queue.delay_s
        doubled = self._exceptions_delay * 2.0 ** min(queue.exceptions - 1, DOUBLINGS_MOST)
        self.back_off(queue_id, now + delay + min(doubled, PENALTY_MOST_S))
        return 0

    def purged(self) -> list[Item]:
        """Items purged since this was asked last: by fail, or added to a blocked queue."""
        items, self._purged = self._purged, []
        return items

    def drop(self, queue_id: str, *, block: bool = False) -> list[Item]:
        """Takes all waiting items out of a queue; with `block` it takes no more either."""
        queue = self._queue(queue_id)
        queue.blocked = queue.blocked or block
        return self._empty(queue)

    def drop_all(self) -> list[Item]:
        """Takes all waiting items out of all queues (time limit, stop)."""
        return [item for queue in self._queues.values() for item in self._empty(queue)]

    def exceptions(self, queue_id: str) -> int:
        """Failures of a queue so far."""
        queue = self._queues.get(queue_id)
        return 0 if queue is None else queue.exceptions

    def states(self) -> dict[str, int]:
        """Counts for people: items, queues that have any, running requests, blocked queues."""
        queues = self._queues.values()
        return {
            "items": self._count,
            "queues": sum(1 for queue in queues if queue.items),
            "running": len(self._running),
            "blocked": sum(1 for queue in queues if queue.blocked),
        }

    def hosts(self, now: float, most: int = 20) -> dict[str, Any]:
        """Open queues by what they are at, for people; see `told`."""
        return told(self._queues.values(), self._delay, now, most)

    def running(self) -> list[tuple[Item, float]]:
        """The items that are running, each with when its queue was last taken from."""
        return [(item, queue.since) for item, queue in self._running.values()]

    def _queue(self, queue_id: str) -> Queue[Item]:
        queue = self._queues.get(queue_id)
        if queue is None:
            queue = self._queues[queue_id] = Queue(queue_id, self._slots)
        return queue

    def _push(self, queue: Queue[Item]) -> None:
        """Gives the queue its place in the heap; an older entry of it counts no more.

        The running number makes queues that are ready at the same time take turns.
        """
        queue.in_heap = 0
        if queue.is_waiting():
            self._entries += 1
            queue.in_heap = self._entries
            heapq.heappush(self._heap, (queue.next_time, self._entries, queue.id))

    def _first(self) -> Queue[Item] | None:
        while self._heap:
            _, entry, queue_id = self._heap[0]
            queue = self._queues.get(queue_id)
            if queue is not None and queue.in_heap == entry:
                return queue
            heapq.heappop(self._heap)
        return None

    def _empty(self, queue: Queue[Item]) -> list[Item]:
        items = list(queue.items)
        queue.items.clear()
        queue.in_heap = 0
        self._count -= len(items)
        return items

    def _sweep(self, now: float) -> None:
        """Forgets queues that are as good as new, so that memory follows the open hosts."""
        self._sweep_in = max(SWEEP_EVERY, len(self._queues))
        self._queues = {
            queue_id: queue
            for queue_id, queue in self._queues.items()
            if queue.items
            or queue.running
            or queue.blocked
            or queue.exceptions
            or queue.delay_s is not None
            or queue.next_time > now
        }


def queues_of(config: CrawlConfig) -> FetchQueues[Any]:
    """Queues as the configuration has them (fetcher.*)."""
    fetcher = config.fetcher
    return FetchQueues(
        threads_per_queue=fetcher.threads_per_queue,
        server_delay=fetcher.server_delay,
        server_min_delay=fetcher.server_min_delay,
        max_exceptions=fetcher.max_exceptions_per_queue,
        exceptions_delay=fetcher.exceptions_per_queue_delay,
    )
