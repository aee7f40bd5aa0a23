"""Threads that ask: what they go on with by themselves, and when they come back."""

import threading
from datetime import UTC, datetime
from types import SimpleNamespace

import pytest

from crawl_ops.config.load import load
from crawl_ops.jobs.fetching.engine import Ended, Result, Workers
from crawl_ops.jobs.fetching.items import FetchItem, Taken
from crawl_ops.model import ProtocolStatus
from crawl_ops.protocol.answer import Answer
from crawl_ops.protocol.robots import RobotsAnswer

LEAVES = """
class Leaving:
    def __init__(self, config):
        pass

    def fetch(self, request):
        raise SystemExit(3)

    def close(self):
        pass
"""


def taken(urls: list[str]) -> list[Taken]:
    rows = [{"url": url, "signature": None, "metadata": None} for url in urls]
    return [Taken((0, number), FetchItem(0, row)) for number, row in enumerate(rows)]


@pytest.fixture
def workers():
    """Makes one thread that asks whatever it is given to ask with."""
    made = []

    def make(fetch, robots, stop=None):
        http = SimpleNamespace(fetch=fetch, close=lambda: None)
        rules = SimpleNamespace(of=lambda _url, _now: robots)
        made.append(Workers(load(), http, rules, lambda: datetime(2026, 8, 1, tzinfo=UTC), 1, stop))
        return made[-1]

    yield make
    for one in made:
        one.close()


def told(one: Workers, most: int = 100) -> tuple[list[str], list[str]]:
    """URLs asked for, and those that came back, of what was given."""
    asked: list[str] = []
    for _ in range(most):
        for result in one.results(10):
            last = result.result if isinstance(result, Ended) else result
            asked.append(last.item.url)
            if isinstance(result, Ended):
                return asked, [item.url for _, item in result.unasked]
    raise AssertionError("no end")


def test_a_protocol_that_calls_sys_exit_costs_its_url_only(tmp_path) -> None:
    (tmp_path / "leaves.py").write_text(LEAVES)
    properties = {"fetcher.protocols": "gopher=leaves:Leaving", "plugin.folders": str(tmp_path)}
    workers = Workers(
        load(overrides=properties),
        SimpleNamespace(close=lambda: None),
        SimpleNamespace(),
        lambda: datetime(2026, 8, 1, tzinfo=UTC),
        1,
    )
    try:
        for _ in (1, 2):
            workers.give(taken(["gopher://a.example/"]))
            (ended,) = workers.results(10)
            assert ended.result.answer.reason == "program error: SystemExit: 3"
    finally:
        workers.close()


SITE = "http://a.test"
URLS = [f"{SITE}/{n}" for n in range(5)]
ALLOW = RobotsAnswer(SITE, 404, "allow_all", fetched=False)


def answering(**odd):
    """Plain answers, but for /2."""

    def fetch(request):
        plain = {"status": ProtocolStatus.SUCCESS, "http_status": 200}
        return Answer(url=request.url, **{**plain, **(odd if request.url.endswith("/2") else {})})

    return fetch


@pytest.mark.parametrize(
    "answer",
    [
        {"status": ProtocolStatus.EXCEPTION, "http_status": None},
        {"status": ProtocolStatus.EXCEPTION, "http_status": 503},
        {"status": ProtocolStatus.GONE, "http_status": 429},
        {"retry_after_s": 1.0},
    ],
)
def test_whatever_may_change_when_a_site_is_asked_next_ends_a_batch(workers, answer):
    one = workers(answering(**answer), ALLOW)
    one.give(taken(URLS))
    assert told(one) == (URLS[:3], URLS[3:])
    assert (one.busy, one.out, one.idle) == (0, 0, 1)


@pytest.mark.parametrize(
    "answer",
    [
        {},
        {"status": ProtocolStatus.NOTFOUND, "http_status": 404},
        {"status": ProtocolStatus.MOVED, "http_status": 301, "location": URLS[0]},
    ],
)
def test_plain_answers_do_not(workers, answer):
    one = workers(answering(**answer), ALLOW)
    one.give(taken(URLS))
    assert told(one) == (URLS, [])


@pytest.mark.parametrize(
    "robots",
    [
        RobotsAnswer(SITE, 404, "allow_all", fetched=True),
        RobotsAnswer(SITE, 200, "rules", crawl_delay_s=1.0, fetched=False),
        RobotsAnswer(SITE, 503, "deferred", fetched=False),
    ],
)
def test_nor_is_a_site_asked_on_whose_robots_have_something_to_say(workers, robots):
    one = workers(answering(), robots)
    one.give(taken(URLS))
    assert told(one) == (URLS[:1], URLS[1:])


def test_what_robots_deny_is_no_reason_to_come_back(workers):
    one = workers(answering(), RobotsAnswer(SITE, 403, "disallow_all", fetched=False))
    one.give(taken(URLS))
    assert told(one) == (URLS, [])


def test_a_stop_and_the_time_limit_end_a_batch(workers):
    stop = threading.Event()

    def fetch(request):
        if request.url.endswith("/1"):
            stop.set()
        return answering()(request)

    one = workers(fetch, ALLOW, stop)
    one.give(taken(URLS))
    assert told(one) == (URLS[:2], URLS[2:])
    other = workers(answering(), ALLOW)
    other.ends = 0.0
    other.give(taken(URLS))
    assert told(other) == (URLS[:1], URLS[1:])


def test_answers_are_there_before_the_batch_ends(workers):
    go_on = threading.Event()

    def fetch(request):
        if request.url.endswith("/2"):
            go_on.wait(10)
        return answering()(request)

    one = workers(fetch, ALLOW)
    one.give(taken(URLS))
    early: list[str] = []
    while len(early) < 2:
        results = one.results(0.005)
        assert all(isinstance(result, Result) for result in results)
        early += [result.item.url for result in results]
    assert early == URLS[:2]
    go_on.set()
    assert told(one) == (URLS[2:], [])
