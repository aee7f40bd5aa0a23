"""The queue engine: politeness without a clock."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawl_ops.protocol.queues import FetchQueues, queues_of


def drain(queues: FetchQueues, now: float) -> list:
    """All that may be taken at `now`, none released."""
    found = []
    while (item := queues.take(now)) is not None:
        found.append(item)
    return found


def test_first_in_first_out_and_a_delay_from_the_end():
    queues = FetchQueues(server_delay=5.0)
    for item in ("a1", "a2", "a3"):
        queues.add(item, "a")
    assert queues.take(100.0) == "a1"
    assert queues.take(100.0) is None
    assert queues.ready_at() is None
    queues.release("a1", 103.0)
    assert queues.ready_at() == 108.0
    assert queues.take(107.99) is None
    assert queues.take(108.0) == "a2"


def test_queues_take_turns():
    queues = FetchQueues(server_delay=0.0)
    for number in range(3):
        for host in "abc":
            queues.add(f"{host}{number}", host)
    order = []
    while (item := queues.take(0.0)) is not None:
        order.append(item)
        queues.release(item, 0.0)
    assert order == ["a0", "b0", "c0", "a1", "b1", "c1", "a2", "b2", "c2"]


def test_an_item_without_a_request_adds_no_delay():
    queues = FetchQueues(server_delay=5.0)
    for item in "xyz":
        queues.add(item, "a")
    queues.release(queues.take(0.0), 0.0, requested=False)
    item = queues.take(0.0)
    assert item == "y"
    queues.release(item, 1.0)
    assert queues.ready_at() == 6.0


def test_several_threads_a_queue_and_the_minimal_delay():
    queues = FetchQueues(threads_per_queue=2, server_delay=5.0, server_min_delay=0.5)
    for item in ("w1", "x1", "y1", "z1"):
        queues.add(item, "a")
    assert drain(queues, 0.0) == ["w1", "x1"]
    queues.release("w1", 1.0)
    assert queues.take(1.4) is None
    assert queues.take(1.5) == "y1"
    assert queues.take(9.0) is None


def test_a_crawl_delay_is_for_its_queue_only():
    queues = FetchQueues(threads_per_queue=2, server_delay=1.0, server_min_delay=0.0)
    for item in ("a1", "a2", "a3", "b1", "b2"):
        queues.add(item, item[0])
    queues.set_delay("a", 7.0)
    assert drain(queues, 0.0) == ["a1", "b1", "b2"]
    queues.release("a1", 1.0)
    assert queues.ready_at() == 8.0


@pytest.mark.parametrize("crawl_delay", [0.0, 0.25, 30.0])
def test_a_crawl_delay_replaces_the_delay(crawl_delay):
    queues = FetchQueues(server_delay=5.0)
    queues.add("x", "a")
    queues.add("y", "a")
    queues.set_delay("a", crawl_delay)
    queues.release(queues.take(0.0), 1.0)
    assert queues.ready_at() == 1.0 + crawl_delay


def test_backing_off():
    queues = FetchQueues(server_delay=1.0)
    queues.add("x", "a")
    queues.back_off("a", 50.0)
    queues.back_off("a", 20.0)
    assert (queues.ready_at(), queues.take(49.0)) == (50.0, None)
    assert queues.take(50.0) == "x"


@pytest.mark.parametrize("before", [True, False])
def test_failures_double_the_delay_and_end_the_queue(before):
    queues = FetchQueues(server_delay=1.0, max_exceptions=4, exceptions_delay=10.0)
    for number in range(8):
        queues.add(number, "a")
    now, gaps = 0.0, []
    for _ in range(3):
        item = queues.take(now)
        if before:
            assert queues.fail("a", now) == 0
        queues.release(item, now)
        if not before:
            assert queues.fail("a", now) == 0
        gaps.append(queues.ready_at() - now)
        now = queues.ready_at()
    assert gaps == [11.0, 21.0, 41.0]
    item = queues.take(now)
    assert queues.fail("a", now) == 4
    queues.release(item, now)
    assert (len(queues), queues.take(1e9), queues.exceptions("a")) == (0, None, 4)
    assert queues.purged() == [4, 5, 6, 7]
    assert queues.add("late", "a") is False
    assert (queues.purged(), queues.purged()) == (["late"], [])
    assert queues.states()["blocked"] == 1


def test_failures_without_a_limit():
    queues = FetchQueues(server_delay=1.0, max_exceptions=-1)
    queues.add("x", "a")
    for _ in range(2_000):
        assert queues.fail("a", 0.0) == 0
    assert queues.ready_at() <= 1.0 + 86_400


def test_no_failure_at_all_is_allowed_with_zero():
    queues = FetchQueues(max_exceptions=0)
    queues.add("x", "a")
    assert queues.fail("a", 0.0) == 1


def test_dropping():
    queues = FetchQueues(server_delay=0.0)
    for item in ("a1", "a2", "b1"):
        queues.add(item, item[0])
    running = queues.take(0.0)
    assert (running, queues.drop("a"), len(queues)) == ("a1", ["a2"], 1)
    queues.release(running, 0.0)
    queues.add("a3", "a")
    assert sorted(queues.drop_all()) == ["a3", "b1"]
    assert (queues.take(9.0), queues.ready_at(), len(queues)) == (None, None, 0)
    queues.drop("a", block=True)
    assert queues.add("a4", "a") is False


def test_an_item_may_come_back():
    queues = FetchQueues(server_delay=5.0)
    queues.add("x", "a")
    item = queues.take(0.0)
    queues.release(item, 0.0, requested=False)
    queues.back_off("a", 30.0)
    queues.add(item, "a")
    assert (queues.take(29.0), queues.take(30.0)) == (None, "x")


def test_equal_items_are_not_mixed_up():
    queues = FetchQueues(threads_per_queue=2, server_min_delay=0.0)
    first, second = ["same"], ["same"]
    queues.add(first, "a")
    queues.add(second, "b")
    assert queues.take(0.0) is first
    assert queues.take(0.0) is second
    queues.release(second, 0.0)
    queues.release(first, 0.0)
    assert queues.states() == {"items": 0, "queues": 0, "running": 0, "blocked": 0}


def test_counts():
    queues = FetchQueues()
    for item in ("a1", "a2", "b1"):
        queues.add(item, item[0])
    queues.take(0.0)
    assert queues.states() == {"items": 2, "queues": 2, "running": 1, "blocked": 0}
    assert len(queues) == 2


def test_memory_follows_the_open_hosts():
    queues = FetchQueues(server_delay=1.0)
    for number in range(60_000):
        queues.add(number, f"host{number}")
        item = queues.take(float(number))
        queues.release(item, float(number))
    assert len(queues._queues) < 25_000
    assert len(queues._heap) < 25_000


def test_a_hundred_thousand_hosts_are_not_scanned():
    queues = FetchQueues(server_delay=1e6)
    for number in range(100_000):
        queues.add(number, str(number))
        queues.add(-number - 1, str(number))
    started = time.thread_time()
    while (item := queues.take(0.0)) is not None:
        queues.release(item, 0.0)
    assert time.thread_time() - started < 10
    assert len(queues) == 100_000


def test_properties_are_nutchs(config):
    queues = queues_of(
        config(
            **{
                "fetcher.server.delay": 3.0,
                "fetcher.max.exceptions.per.queue": 2,
                "fetcher.exceptions.per.queue.delay": 20.0,
            }
        )
    )
    queues.add("x", "a")
    queues.add("y", "a")
    queues.fail("a", 0.0)
    assert queues.ready_at() == 23.0
    assert queues.fail("a", 0.0) == 2


@settings(max_examples=150)
@given(
    items=st.lists(st.sampled_from("abcd"), max_size=40),
    threads=st.integers(1, 3),
    workers=st.integers(1, 6),
    delay=st.sampled_from([0.0, 0.5, 2.0]),
    own=st.dictionaries(st.sampled_from("ab"), st.sampled_from([0.25, 3.0])),
    lengths=st.lists(st.sampled_from([0.0, 0.1, 1.7]), min_size=1, max_size=9),
    quiet=st.sets(st.integers(0, 39)),
)
def test_all_come_out_and_never_too_close(items, threads, workers, delay, own, lengths, quiet):
    """Simulated workers; times are exact in binary, or compared with a moment's tolerance."""
    queues = FetchQueues(threads_per_queue=threads, server_delay=delay, server_min_delay=delay)
    for number, host in enumerate(items):
        queues.add((number, host), host)
    for host, seconds in own.items():
        queues.set_delay(host, seconds)
    now, busy, taken, ended = 0.0, [], [], {}
    while len(queues) or busy:
        item = queues.take(now) if len(busy) < workers else None
        if item is not None:
            number, host = item
            at_once = sum(1 for _, (_, other) in busy if other == host)
            limit = 1 if host in own else threads
            assert at_once < limit
            wait = max(own.get(host, delay), delay if threads > 1 else 0.0)
            assert now >= ended.get(host, float("-inf")) + wait - 1e-9
            taken.append(item)
            busy.append((now + lengths[number % len(lengths)], item))
            continue
        times = [end for end, _ in busy]
        ready = queues.ready_at()
        if ready is not None and len(busy) < workers:
            times.append(ready)
        now = max(now, min(times))
        for end, item in [entry for entry in busy if entry[0] <= now]:
            busy.remove((end, item))
            requested = item[0] not in quiet
            queues.release(item, now, requested=requested)
            if requested:
                ended[item[1]] = now
    assert sorted(taken) == list(enumerate(items))
    for host in set(items):
        numbers = [number for number, other in taken if other == host]
        assert numbers == sorted(numbers)


def test_hosts_are_told_by_what_they_are_at() -> None:
    queues: FetchQueues[str] = FetchQueues(server_delay=2.0, max_exceptions=1)
    for item, host in (
        ("r1", "runs"),
        ("r2", "runs"),
        ("d1", "ready"),
        ("w1", "rests"),
        ("w2", "rests"),
        ("b1", "backs-off"),
        ("x1", "blocked"),
    ):
        queues.add(item, host)
    assert queues.take(0.0) == "r1"
    assert queues.take(0.0) == "d1"
    queues.release("d1", 0.0)
    queues.add("d2", "ready")
    queues.back_off("rests", 11.5)
    queues.back_off("backs-off", 70.0)
    queues.fail("blocked", 0.0)
    found = queues.hosts(10.0)
    assert found["states"] == {
        "running": 1, "ready": 1, "resting": 1, "backing_off": 1, "blocked": 1,
    }  # fmt: skip
    assert found["waiting"] == [("backs-off", 60.0, 1)]
    assert found["longest_s"] == 60.0
    assert queues.hosts(10.0, most=0)["waiting"] == []


def known(items: int, **settings: float) -> FetchQueues:
    """A queue `a` of which a first item was released."""
    queues = FetchQueues(**{"server_delay": 0.0, **settings})
    for number in range(items):
        queues.add(f"a{number}", "a")
    queues.release(queues.take(0.0), 0.0)
    return queues


def test_what_may_be_asked_right_after_is_taken_together_and_given_back_in_order():
    queues = known(6)
    item = queues.take(1.0)
    queues.add("b0", "b")
    followers = queues.follow(item, 3)
    assert followers == ["a2", "a3", "a4"]
    assert (drain(queues, 1.0), len(queues)) == (["b0"], 1)
    queues.release(item, 2.0)
    assert queues.ready_at() is None, "somebody asks the site on"
    queues.give_back(followers[1:])
    assert queues.ready_at() is None
    queues.release(followers[0], 3.0)
    order = []
    while (item := queues.take(4.0)) is not None:
        order.append(item)
        queues.release(item, 4.0)
    assert order == ["a3", "a4", "a5"]


@pytest.mark.parametrize(
    "change",
    [
        {"server_delay": 0.001},
        {"threads_per_queue": 2},
        {"crawl_delay": 1.0},
        {"first": True},
    ],
)
def test_nothing_follows_where_there_is_to_be_a_wait_or_others_ask(change):
    delay, first = change.pop("crawl_delay", None), change.pop("first", False)
    if first:
        queues = FetchQueues(server_delay=0.0)
        for item in ("a1", "a2"):
            queues.add(item, "a")
    else:
        queues = known(4, **change)
    if delay is not None:
        queues.set_delay("a", delay)
    assert queues.follow(queues.take(10.0), 5) == []


def test_what_is_given_back_to_a_blocked_queue_is_purged():
    queues = known(5, max_exceptions=1)
    item = queues.take(0.0)
    followers = queues.follow(item, 2)
    assert queues.fail("a", 1.0) == 1
    queues.give_back(followers)
    queues.release(item, 1.0)
    assert queues.purged() == ["a4", "a3", "a2"]
    assert (len(queues), queues.states()["running"]) == (0, 0)
