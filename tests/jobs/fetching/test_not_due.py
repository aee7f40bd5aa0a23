"""Which targets the crawldb knows and does not want yet."""

from datetime import timedelta

import pytest

from crawl_ops.storage import not_due
from crawl_ops.storage.not_due import NotDue


@pytest.fixture
def asked(given):
    """The crawldb asked for one URL after the other."""
    soon, past = timedelta(hours=1), -timedelta(hours=1)
    given.known(
        [
            {"url": f"http://h{host}.test/{n}", "fetch_time": given.now + (soon if n % 2 else past)}
            for host in range(4)
            for n in range(10)
        ],
        bits=2,
    )
    lookup = NotDue(given.crawl, given.config())

    def has(url, after=timedelta(0)):
        identity = given.identity(url)
        return lookup.has(url, identity["k"], identity["host"], identity["slot"], given.now + after)

    yield has
    lookup.close()


@pytest.mark.parametrize("most", [100_000, 3])
def test_known_and_not_due(asked, monkeypatch, most):
    monkeypatch.setattr(not_due, "KEYS_OF_HOST", most)
    for host in range(4):
        found = [asked(f"http://h{host}.test/{n}") for n in range(12)]
        assert found == [False, True] * 5 + [False, False]
    assert not asked("http://elsewhere.test/1")


def test_hosts_are_forgotten_and_asked_again(asked, monkeypatch):
    monkeypatch.setattr(not_due, "KEYS_KEPT", 7)
    for _ in range(2):
        assert all(asked(f"http://h{host}.test/1") for host in range(4))
        assert not any(asked(f"http://h{host}.test/2") for host in range(4))


def test_a_crawl_without_a_crawldb_knows_nothing(given):
    lookup = NotDue(given.crawl, given.config())
    assert not lookup.has("http://a.test/", 1, "a.test", 1, given.now)
    lookup.close()
