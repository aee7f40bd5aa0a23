"""Spreading hosts over fetch lists so that all lists take about as long."""

import heapq
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class HostLoads:
    """What stays together in one list, hosts or domains, by column; the longest come first."""

    key: list[str]
    urls: list[int]
    hosts: list[int]
    expected_s: list[float]

    def __len__(self) -> int:
        return len(self.key)


@dataclass(slots=True)
class ListLoad:
    """One fetch list: the keys of its loads, and what they come to."""

    keys: list[str] = field(default_factory=list)
    urls: int = 0
    hosts: int = 0
    expected_s: float = 0.0  # of the host that takes longest


def balanced(loads: HostLoads, requested: int) -> list[ListLoad]:
    """min(requested, hosts) lists; each load is in one of them, longest loads placed first.

    A list lasts as long as its slowest host, or as its URLs take altogether, so both are weighed.
    """
    count = max(1, min(requested, len(loads)))
    lists = [ListLoad() for _ in range(count)]
    heap = [(0.0, 0, number) for number in range(count)]
    columns = (loads.key, loads.urls, loads.hosts, loads.expected_s)
    for key, urls, hosts, expected_s in zip(*columns, strict=True):
        seconds, all_urls, number = heap[0]
        heapq.heapreplace(heap, (seconds + expected_s, all_urls + urls, number))
        found = lists[number]
        found.keys.append(key)
        found.hosts += hosts
        if expected_s > found.expected_s:
            found.expected_s = expected_s
    for _, urls, number in heap:
        lists[number].urls = urls
    return lists
