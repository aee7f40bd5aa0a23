"""Counts of a finished list: by counting its files, and by the engine, they are the same."""

from datetime import UTC, datetime

import pytest

from crawl_ops.storage.outcomes import fetch_counts, parse_counts

NOW = datetime(2026, 3, 1, tzinfo=UTC)


def _fetched(k, status, attempt="a", **changes):
    return {
        "k": k, "slot": 1, "url": f"http://a.test/{k}", "host": "a.test", "domain": "a.test",
        "list": 0, "attempt": attempt, "fetch_status": status, "protocol_status": "success",
        "fetch_time": NOW, "bytes": 1, "hops": 0, "score": 1.0, "interval_s": 1, "retries": 0,
        **changes,
    }  # fmt: skip


def _left(k, rule, attempt="a", step="fetch", from_url=None):
    return {
        "k": k, "url": f"http://a.test/{k}", "attempt": attempt, "step": step, "rule": rule,
        "from_url": from_url, "time": NOW,
    }  # fmt: skip


def _parsed(k, status, attempt="a"):
    return {
        "k": k, "slot": 1, "url": f"http://a.test/{k}", "attempt": attempt, "parse_status": status,
        "kind": "page", "noindex": False, "nofollow": False, "noarchive": False,
        "outlinks_found": 0, "outlinks_kept": 0, "fetch_time": NOW,
    }  # fmt: skip


def _link(from_k, position, attempt="a"):
    return {
        "k": position, "slot": 1, "to_url": f"http://b.test/{position}", "to_host": "b.test",
        "to_domain": "b.test", "from_k": from_k, "from_url": f"http://a.test/{from_k}",
        "from_host": "a.test", "attempt": attempt, "kind": "link", "position": position,
        "score": 0.0,
    }  # fmt: skip


@pytest.fixture
def segment(crawl):
    made = crawl.new_segment("s1")
    left = [
        _left(5, "slow"), _left(5, "slow"), _left(6, "slow"), _left(7, "late"), _left(1, "late"),
        _left(8, "late", from_url="http://a.test/1"), _left(9, "late", step="parse"),
    ]  # fmt: skip
    statuses = ["fetch_success", "fetch_gone", "fetch_success"]
    made.write_part("crawl_fetch", 0, "a.0000", [_fetched(k, s) for k, s in enumerate(statuses)])
    made.write_part("rejected", 0, "a.0000", left)
    made.write_part("crawl_parse", 0, "a.0000", [_link(1, 0)])
    made.write_part("parse_data", 0, "a.0000", [_parsed(0, "success"), _parsed(2, "failed")])
    made.write_part("crawl_parse", 0, "a.0000p", [_link(0, 0), _link(0, 1)])
    return made


@pytest.fixture
def counted(crawl, config, segment, monkeypatch):
    """The counts, by files or by the engine."""

    def counts(*, engine):
        if engine:
            monkeypatch.setattr(type(segment), "has_several_attempts", lambda *_: True)
        return [count(crawl, config, segment, 0) for count in (fetch_counts, parse_counts)]

    return counts


def test_one_attempt(counted):
    mine = counted(engine=False)
    assert mine == [
        {"fetch_gone": 1, "fetch_success": 2, "left.late": 1, "left.slow": 2},
        {"failed": 1, "links": 3, "success": 1},
    ]
    assert counted(engine=True) == mine


def test_of_two_attempts_one_counts(counted, segment):
    again = [_fetched(1, "fetch_success", "b"), _fetched(2, "fetch_gone", "b")]
    segment.write_part("crawl_fetch", 0, "b.0000", again)
    assert counted(engine=False)[0] == {"fetch_success": 3, "left.late": 1, "left.slow": 2}


def test_nothing_fetched(crawl, config):
    empty = crawl.new_segment("s2")
    assert fetch_counts(crawl, config, empty, 0) == {}
    assert parse_counts(crawl, config, empty, 0) == {"links": 0}
