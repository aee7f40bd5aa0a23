"""What readdb shows of a crawldb."""

from datetime import UTC, datetime, timedelta

from crawl_ops.jobs import readdb

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
KEYS = [
    "url",
    "status",
    "fetch_time",
    "modified_time",
    "interval",
    "retries",
    "score",
    "signature",
    "metadata",
]


def test_a_record_has_the_documented_form(given):
    given.known(
        [
            {
                "url": "http://a.test/x",
                "status": "db_fetched",
                "fetch_time": NOW + timedelta(milliseconds=250),
                "modified_time": NOW,
                "signature": bytes(range(16)),
                "metadata": '{"a": "1"}',
                "interval_s": 5,
                "retries": 2,
                "score": 0.5,
            },
            {"url": "http://b.test/"},
        ],
        bits=4,
    )
    config = given.config()
    record = readdb.record(given.crawl, config, "http://a.test/x")
    assert record == {
        "url": "http://a.test/x",
        "status": "db_fetched",
        "fetch_time": "2026-03-01T12:00:00.250Z",
        "modified_time": "2026-03-01T12:00:00.000Z",
        "interval": 5,
        "retries": 2,
        "score": 0.5,
        "signature": "000102030405060708090a0b0c0d0e0f",
        "metadata": {"a": "1"},
    }
    unknown = readdb.record(given.crawl, config, "http://b.test/")
    assert unknown is not None
    assert [unknown[name] for name in ("modified_time", "signature", "metadata")] == [None] * 3
    assert list(unknown) == KEYS


def test_a_url_is_looked_up_as_given_and_as_normalized(given):
    given.known([{"url": "http://a.test/x"}])
    for url in ("http://a.test/x", "HTTP://A.test:80/y/../x#part"):
        found = readdb.record(given.crawl, given.config(), url)
        assert found is not None
        assert found["url"] == "http://a.test/x"
    assert readdb.record(given.crawl, given.config(), "http://a.test/z") is None
    assert readdb.record(given.crawl, given.config(), "no url") is None


def test_statistics(given):
    given.known(
        [
            {"url": "http://a.test/1", "status": "db_fetched", "score": 1.0, "fetch_time": NOW},
            {"url": "http://a.test/2", "status": "db_gone", "score": 2.0, "retries": 3},
            {"url": "http://b.test/1", "score": 3.0, "interval_s": 10},
        ]
    )
    stats = readdb.stats(given.crawl, given.config())
    quantiles = stats.pop("score quantiles")
    assert stats == {
        "total": 3,
        "db_fetched": 1,
        "db_gone": 1,
        "db_unfetched": 1,
        "retry 0": 2,
        "retry 3": 1,
        "score min": 1.0,
        "score avg": 2.0,
        "score max": 3.0,
        "fetch time earliest": "2026-02-28T12:00:00.000Z",
        "fetch time latest": "2026-03-01T12:00:00.000Z",
        "interval min": 10,
        "interval avg": 1_728_003,
        "interval max": 2_592_000,
    }
    assert quantiles["0.5"] == 2.0


def test_an_empty_crawldb(given):
    assert readdb.stats(given.crawl, given.config()) == {"total": 0}
    assert list(readdb.dump(given.crawl, given.config())) == []
    assert readdb.record(given.crawl, given.config(), "http://a.test/") is None


def test_dump_has_every_record_once(given):
    urls = [f"http://h{number % 7}.test/{number}" for number in range(50)]
    given.known([{"url": url} for url in urls], bits=3)
    dumped = list(readdb.dump(given.crawl, given.config()))
    assert sorted(record["url"] for record in dumped) == sorted(urls)
    assert list(dumped[0]) == KEYS
    assert dumped == list(readdb.dump(given.crawl, given.config()))
