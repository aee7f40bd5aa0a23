"""A crawl folder, a clock, and crawldb rows."""

from datetime import UTC, datetime

import pytest

from crawl_ops.config.load import load
from crawl_ops.storage.crawl_dir import CrawlDir

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture
def now():
    return NOW


@pytest.fixture
def config():
    return load(None, {"duckdb.threads": 1})


@pytest.fixture
def crawl(tmp_path):
    return CrawlDir.open(tmp_path / "crawl", create=True)


@pytest.fixture
def rows():
    def make(numbers, **changes):
        return [
            {
                "k": number,
                "slot": number * 977 % 65536,
                "url": f"http://h{number % 7}.test/{number}",
                "host": f"h{number % 7}.test",
                "domain": f"h{number % 7}.test",
                "status": "db_unfetched",
                "fetch_time": NOW,
                "interval_s": 100,
                "retries": 0,
                "score": 1.0,
                **changes,
            }
            for number in numbers
        ]

    return make
