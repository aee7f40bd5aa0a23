"""Nobody is asked twice at once, nor too soon, nor after having said no."""

import socket
import threading
import time
from datetime import UTC, datetime
from itertools import pairwise

import pytest

from crawl_ops.errors import StoppedError

HOSTS = [f"127.0.0.{n}" for n in range(1, 6)]


def overlaps(site):
    """Pairs of requests to one host that were there at the same time."""
    by_host = {}
    for one in site.log:
        by_host.setdefault(one.host, []).append((one.started, one.ended))
    return [(a, b) for times in by_host.values() for a, b in pairwise(sorted(times)) if b[0] < a[1]]


def test_a_host_is_asked_one_at_a_time_with_a_pause(site, round_of):
    site.listen(*HOSTS[1:])
    urls = [site.slow(f"/{n}", 0.03, host) for n in range(6) for host in HOSTS]
    segment = round_of.lists(urls)
    started = time.monotonic()
    round_of.fetch(segment, {"fetcher.server.delay": 0.2, "fetcher.threads.fetch": 10})
    took = time.monotonic() - started
    assert overlaps(site) == []
    gaps = [gap for host in HOSTS for gap in site.gaps(host)]
    assert len(gaps) == 25
    assert min(gaps) >= 0.199
    assert took < 30 * 0.23, "hosts are fetched side by side"


def test_two_lists_fetched_in_one_process_share_their_queues(site, round_of, names):
    names |= {"a.site.test": "127.0.0.1", "b.site.test": "127.0.0.1"}
    lists = [[site.page(f"/{n}", host=f"{x}.site.test") for n in range(3)] for x in "ab"]
    segment = round_of.lists(*lists)
    conf = {"fetcher.server.delay": 0.15, "fetcher.queue.mode": "byIP"}
    round_of.fetch(segment, conf)
    gaps = site.gaps()
    assert len(gaps) == 5
    assert min(gaps) >= 0.149


@pytest.mark.parametrize(
    ("mode", "hosts", "together"),
    [
        ("byHost", ["a.site.test", "b.site.test"], False),
        ("byDomain", ["a.site.test", "b.site.test"], True),
        ("byDomain", ["a.site.test", "a.other.test"], False),
        ("byIP", ["a.site.test", "a.other.test"], True),
        ("byIP", ["a.site.test", "elsewhere.test"], False),
    ],
)
def test_what_a_queue_is(site, round_of, names, mode, hosts, together):
    site.listen("127.0.0.2")
    names |= dict.fromkeys(["a.site.test", "b.site.test", "a.other.test"], "127.0.0.1")
    names["elsewhere.test"] = "127.0.0.2"
    urls = [site.slow(f"/{n}", 0.1, host) for n in range(3) for host in hosts]
    segment = round_of.lists(urls)
    round_of.fetch(segment, {"fetcher.queue.mode": mode, "fetcher.server.delay": 0.05})
    gaps = site.gaps()
    assert (min(gaps) >= 0.049) == together
    assert len(round_of.fetched(segment)) == 6


def test_a_host_without_an_address_does_not_hold_up_the_others(site, round_of, names, monkeypatch):
    lookups = []
    real = socket.getaddrinfo

    def slow_dns(host, *more, **options):
        lookups.append(host)
        if host.startswith("no"):
            threading.Event().wait(1.0)
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return real(host, *more, **options)

    monkeypatch.setattr(socket, "getaddrinfo", slow_dns)
    bad = [f"http://no{n}.test/" for n in range(3)]
    good = [site.page(f"/{n}") for n in range(20)]
    segment = round_of.lists(bad + good)
    conf = {"fetcher.queue.mode": "byIP", "fetcher.threads.fetch": 8}
    started = time.monotonic()
    round_of.fetch(segment, conf)
    rows = round_of.fetched(segment)
    assert {rows[url]["fetch_status"] for url in good} == {"fetch_success"}
    assert {rows[url]["fetch_status"] for url in bad} == {"fetch_retry"}
    assert "dns" in rows[bad[0]]["reason"]
    assert max(one.ended for one in site.log) - started < 1.0
    assert [lookups.count(f"no{n}.test") for n in range(3)] == [1, 1, 1]


def test_several_threads_a_queue_ask_at_once_without_the_delay(site, round_of):
    urls = [site.slow(f"/{n}", 0.1) for n in range(8)]
    segment = round_of.lists(urls)
    conf = {"fetcher.threads.per.queue": 4, "fetcher.server.delay": 60.0}
    round_of.fetch(segment, conf)
    assert overlaps(site)
    assert len(round_of.fetched(segment)) == 8


# Retry-After


def test_retry_after_is_obeyed_and_then_all_is_fetched(site, round_of):
    asked = []

    def busy(one):
        asked.append(time.monotonic())
        if len(asked) == 1:
            return site.reply(429, "", retry_after="1")
        return site.reply(200, "page")

    urls = [site.put(f"/{n}", busy) for n in range(4)]
    segment = round_of.lists(urls)
    report = round_of.fetch(segment)
    assert report.counts == {"fetch_success": 4}
    assert asked[1] - asked[0] >= 0.999
    assert len(asked) == 5


def test_retry_after_in_the_midst_of_a_site_without_delay(site, round_of):
    """What one thread asks in one go ends there, and goes on where it was."""
    later = []

    def reply(one):
        if one.path == "/9" and not later:
            later.append(time.monotonic())
            return site.reply(429, "", retry_after="1")
        return site.reply(200, one.path)

    urls = [site.put(f"/{n}", reply) for n in range(20)]
    segment = round_of.lists(urls)
    round_of.fetch(segment)
    assert {row["fetch_status"] for row in round_of.fetched(segment).values()} == {"fetch_success"}
    paths = site.paths()
    assert paths == [*(f"/{n}" for n in range(20)), "/9"]
    after = [one for one in site.log if one.path == "/10"]
    assert after[0].started - later[0] >= 0.999


def test_retry_after_now_and_then_is_waited_for_each_time(site, round_of):
    asked = []

    def busy(one):
        asked.append(one.path)
        if len(asked) % 2:
            return site.reply(503, "", retry_after="0")
        return site.reply(200, "page")

    segment = round_of.lists([site.put(f"/{n}", busy) for n in range(8)])
    assert round_of.fetch(segment).counts == {"fetch_success": 8}
    assert len(asked) == 16


def test_a_host_that_only_says_later_is_left_after_a_few_times(site, round_of):
    busy = site.reply(429, "", retry_after="0")
    urls = [site.put(f"/{n}", busy) for n in range(40)]
    segment = round_of.lists(urls)
    report = round_of.fetch(segment)
    assert len(site.paths()) == 4
    assert report.counts == {"fetch_retry": 1, "left.http.retry.after.max": 39}
    assert {row["rule"] for row in round_of.rejected(segment).values()} == {"http.retry.after.max"}


def test_a_retry_after_above_the_limit_leaves_the_host_at_once(site, round_of):
    busy = site.reply(503, "", retry_after="3600")
    urls = [site.put(f"/{n}", busy) for n in range(10)]
    segment = round_of.lists(urls)
    started = time.monotonic()
    report = round_of.fetch(segment)
    assert time.monotonic() - started < 10
    assert len(site.paths()) == 1
    assert report.counts == {"fetch_retry": 1, "left.http.retry.after.max": 9}
    assert "3600" in next(iter(round_of.rejected(segment).values()))["detail"]


# exceptions


def test_a_queue_with_too_many_exceptions_is_emptied_with_the_reason(site, round_of):
    site.listen("127.0.0.2")
    bad = [site.put(f"/{n}", b"") for n in range(30)]
    good = [site.page(f"/{n}", host="127.0.0.2") for n in range(30)]
    site.page("/robots.txt", "", status=404)
    segment = round_of.lists(bad + good)
    report = round_of.fetch(segment, {"fetcher.max.exceptions.per.queue": 3})
    rows = round_of.fetched(segment)
    assert sum(row["fetch_status"] == "fetch_retry" for row in rows.values()) == 3
    assert {rows[url]["fetch_status"] for url in good} == {"fetch_success"}
    left = round_of.rejected(segment)
    assert len(left) == 27
    assert {row["rule"] for row in left.values()} == {"fetcher.max.exceptions.per.queue"}
    assert all(row["detail"] for row in left.values())
    assert report.counts["left.fetcher.max.exceptions.per.queue"] == 27


def test_an_exception_doubles_the_pause(site, round_of):
    segment = round_of.lists([site.put(f"/{n}", site.reply(500)) for n in range(4)])
    conf = {"fetcher.exceptions.per.queue.delay": 0.1, "fetcher.max.exceptions.per.queue": -1}
    round_of.fetch(segment, conf)
    first, second, third = site.gaps()
    assert first >= 0.099
    assert second >= 0.199
    assert third >= 0.399


# limits


def test_the_time_limit_leaves_the_rest_with_a_reason(site, round_of):
    urls = [site.page(f"/{n}") for n in range(20)]
    segment = round_of.lists(urls)
    conf = {"fetcher.server.delay": 0.3, "fetcher.timelimit.mins": 0.02}
    started = time.monotonic()
    report = round_of.fetch(segment, conf)
    assert time.monotonic() - started < 10
    done = len(round_of.fetched(segment))
    assert 0 < done < 8
    left = round_of.rejected(segment)
    assert {row["rule"] for row in left.values()} == {"fetcher.timelimit.mins"}
    assert len(left) == 20 - done
    assert report.counts["left.fetcher.timelimit.mins"] == 20 - done


def test_a_time_limit_of_nothing_asks_nobody(site, round_of):
    segment = round_of.lists([site.page("/a")])
    report = round_of.fetch(segment, {"fetcher.timelimit.mins": 0})
    assert site.log == []
    assert report.counts == {"left.fetcher.timelimit.mins": 1}


def test_asked_to_stop_running_requests_end_and_the_rest_is_for_the_next_time(site, round_of):
    stop = threading.Event()

    def reply(one):
        if one.path == "/3":
            stop.set()
            threading.Event().wait(0.2)
        return site.reply(200, one.path)

    urls = [site.put(f"/{n}", reply) for n in range(10)]
    segment = round_of.lists(urls)
    with pytest.raises(StoppedError):
        round_of.fetch(segment, stop=stop)
    assert set(round_of.fetched(segment)) == set(urls[:4])
    assert round_of.crawl.segment(segment).done("fetch", 0) is None
    report = round_of.fetch(segment)
    assert report.counts == {"fetch_success": 10}
    assert sorted(site.paths()) == sorted(f"/{n}" for n in range(10))
    content = {row["url"]: row["content"] for row in round_of.rows(segment, "content")}
    assert content == {url: f"/{n}".encode() for n, url in enumerate(urls)}


def test_a_target_that_a_stop_left_open_is_asked_by_the_next_attempt(site, round_of):
    stop = threading.Event()

    def reply(_):
        stop.set()
        return site.reply(301, "", location="/b")

    url = site.put("/a", reply)
    target = site.page("/b")
    segment = round_of.lists([url])
    with pytest.raises(StoppedError):
        round_of.fetch(segment, {"fetcher.server.delay": 0.5}, stop=stop)
    assert site.paths() == ["/a"]
    round_of.fetch(segment)
    assert site.paths() == ["/a", "/b"]
    row = round_of.fetched(segment)[target]
    assert (row["via"], row["hops"], row["fetch_status"]) == (url, 1, "fetch_success")


def test_times_are_the_clocks_in_milliseconds(site, round_of):
    segment = round_of.lists([site.page("/a")])
    moment = datetime(2026, 5, 1, 3, 4, 5, 678_901, tzinfo=UTC)
    round_of.fetch(segment, clock=lambda: moment)
    assert round_of.fetched(segment)[site.url("/a")]["fetch_time"] == moment.replace(
        microsecond=678_000
    )
