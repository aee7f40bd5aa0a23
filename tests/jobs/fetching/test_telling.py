"""The line that a running fetch shows."""

import pytest

from crawl_ops.jobs.fetching.telling import progress_text
from crawl_ops.protocol.queues import FetchQueues


@pytest.mark.parametrize(
    ("left", "rate", "longest", "ends"),
    [(100, 10.0, 2.0, "10 s left"), (100, 10.0, 120.0, "2 min left"),
     (10, 0.0005, 0.0, "5.6 h left"), (0, 10.0, 0.0, None), (5, 0.0, 0.0, None)],
)  # fmt: skip
def test_what_is_left_is_told_by_the_rate_and_by_the_slowest_queue(left, rate, longest, ends):
    states = dict.fromkeys(("running", "ready", "resting", "backing_off", "blocked"), 0)
    hosts = {"states": states, "longest_s": longest, "last": []}
    line = progress_text(7, left, rate, hosts)
    assert line.startswith(f"7 of {7 + left} urls, {rate:.1f} pages/s; queues: none")
    assert line.endswith(ends or "none")


def test_queues_are_told_by_what_they_are_at():
    queues = FetchQueues(server_delay=5.0)
    for host in ("a", "a", "b", "c"):
        queues.add([host], host)
    queues.release(queues.take(0.0), 0.0)
    assert queues.take(0.0) is not None
    queues.back_off("c", 60.0)
    line = progress_text(1, 3, 0.5, queues.hosts(0.0))
    assert "; queues: 1 running, 1 resting, 1 backing off; 60 s left" in line


def test_the_host_that_has_all_the_rest_is_named():
    queues = FetchQueues(server_delay=30.0)
    for host in ("a", "a", "a", "b"):
        queues.add([host], host)
    first, other = queues.take(0.0), queues.take(0.0)
    assert "the rest" not in progress_text(1, 4, 0.5, queues.hosts(0.0))
    queues.release(other, 1.0)
    line = progress_text(1, 3, 0.5, queues.hosts(8.0))
    assert line.endswith("; the rest is of a: 3 urls, asked 8 s ago")
    queues.release(first, 8.0)
    line = progress_text(2, 2, 0.5, queues.hosts(18.0))
    assert line.endswith("; the rest is of a: 2 urls, next in 20 s")


@pytest.mark.parametrize(
    ("seconds", "ends"),
    [
        (45.0, "; waiting 45 s for http://a.test/slow"),
        (2.0, "; the rest is of a.test: 1 url"),
    ],
)
def test_a_page_that_is_waited_for_is_named(seconds, ends):
    queues = FetchQueues()
    queues.add("slow", "a.test")
    assert queues.take(100.0) == "slow"
    assert queues.running() == [("slow", 100.0)]
    asked = [("http://a.test/slow", seconds)]
    line = progress_text(9, 1, 0.5, queues.hosts(100.0 + seconds), asked)
    assert line.endswith(ends)
