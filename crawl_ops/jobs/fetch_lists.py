"""Spreading hosts over fetch lists so that all lists take about as long."""

import heapq
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class HostLoad:
    """What stays together in one list: a host or domain, its URLs, and the seconds they take."""

    key: str
    urls: int
    hosts: int
    expected_s: float


def balanced(loads: Sequence[HostLoad], requested: int) -> list[list[HostLoad]]:
    """min(requested, hosts) lists; each load is in one of them, longest loads placed first.

    A list lasts as long as its slowest host, or as its URLs take altogether, so both are weighed.
    """
    count = max(1, min(requested, len(loads)))
    lists: list[list[HostLoad]] = [[] for _ in range(count)]
    heap = [(0.0, 0, number) for number in range(count)]
    for load in sorted(loads, key=lambda load: (-load.expected_s, -load.urls, load.key)):
        seconds, urls, number = heapq.heappop(heap)
        lists[number].append(load)
        heapq.heappush(heap, (seconds + load.expected_s, urls + load.urls, number))
    return lists
