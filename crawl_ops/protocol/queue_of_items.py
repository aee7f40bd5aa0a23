"""One queue of a fetch, and how queues are told to people."""

from collections import deque
from collections.abc import Iterable
from typing import Any, Generic, TypeVar

Item = TypeVar("Item")

LAST_MOST = 3


class Queue(Generic[Item]):
    """One host's (domain's, address's) items in the order they came."""

    __slots__ = (
        "blocked",
        "delay_s",
        "exceptions",
        "id",
        "in_heap",
        "is_known",
        "items",
        "next_time",
        "running",
        "since",
        "slots",
    )

    def __init__(self, queue_id: str, slots: int) -> None:
        self.id = queue_id
        self.items: deque[Item] = deque()
        self.running = 0
        self.since = float("-inf")  # when the last item was taken
        self.slots = slots
        self.next_time = float("-inf")
        self.delay_s: float | None = None
        self.exceptions = 0
        self.blocked = False
        self.is_known = False  # an item was released: what the site wants is known
        self.in_heap = 0  # number of the entry of the heap that counts; 0: none

    def is_waiting(self) -> bool:
        return bool(self.items) and self.running < self.slots


def told(queues: Iterable[Queue[Any]], usual_delay: float, now: float, most: int) -> dict[str, Any]:
    """Open queues by what they are at.

    states: running, ready, resting (their own delay), backing_off (longer than that), blocked.
    waiting: up to `most` of those that back off, longest first, as [queue, seconds, items].
    longest_s: seconds that the queue with most to do needs at least. last: where no more than
    LAST_MOST queues are left, [queue, state, items with those that are running, seconds that it is
    running, else until it may be asked].
    """
    last: list[tuple[str, str, int, float]] = []
    states = dict.fromkeys(("running", "ready", "resting", "backing_off", "blocked"), 0)
    waiting: list[tuple[str, float, int]] = []
    longest = 0.0
    for queue in queues:
        if not (queue.items or queue.running or queue.blocked):
            continue
        delay = usual_delay if queue.delay_s is None else queue.delay_s
        wait = max(queue.next_time - now, 0.0)
        state = _state_of(queue, wait, delay)
        states[state] += 1
        if state == "backing_off":
            waiting.append((queue.id, round(wait, 1), len(queue.items)))
        if (left := len(queue.items) + queue.running) and len(last) <= LAST_MOST:
            seconds = now - queue.since if queue.running else wait
            last.append((queue.id, state, left, round(seconds, 1)))
        if queue.items:
            longest = max(longest, wait + (len(queue.items) - 1) * delay / queue.slots)
    waiting.sort(key=lambda entry: (-entry[1], entry[0]))
    return {
        "states": states,
        "waiting": waiting[:most],
        "longest_s": round(longest, 1),
        "last": last if len(last) <= LAST_MOST else [],
    }


def _state_of(queue: Queue[Any], wait: float, delay: float) -> str:
    if queue.running:
        return "running"
    if queue.blocked:
        return "blocked"
    if wait <= 0:
        return "ready"
    return "resting" if wait <= delay else "backing_off"
