"""A fetch list as generate writes it: by the engine, which does not say what must not be NULL."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from crawl_ops.config.load import load
from crawl_ops.errors import StoreError
from crawl_ops.storage.crawl_dir import CrawlDir
from crawl_ops.storage.fetch_list import FetchList


def test_a_list_that_the_engine_wrote(tmp_path: Path) -> None:
    crawl = CrawlDir.open(tmp_path / "crawl", create=True)
    segment = crawl.new_segment("s1")
    row = {
        "k": 2**64 - 1,
        "slot": 7,
        "url": "http://a.example/",
        "host": "a.example",
        "domain": "a.example",
        "list": 0,
        "position": 0,
        "score": 1.0,
        "status": "db_unfetched",
        "fetch_time": datetime(2026, 7, 1, tzinfo=UTC),
        "interval_s": 60,
        "retries": 0,
    }
    with crawl.session(load(None, {"http.agent.name": "testbot"})) as session:
        session.bind_rows("whole", "crawl_generate", [row])
        path = f"{segment.folder}/crawl_generate/list-000/list.0000.parquet"
        session.copy_select("SELECT * FROM whole", "crawl_generate", path)
    segment.publish({"lists": [{"list": 0, "urls": 1}]})
    found = FetchList(segment, 0)
    assert found.total == 1
    assert list(found.entries()) == [(0, 2**64 - 1, "a.example", "a.example")]
    assert {name: found.row(0)[name] for name in row} == row
    assert FetchList(segment, 1).total == 0
    crawl.files.remove(path)
    with pytest.raises(StoreError, match="holds 0 URLs, generate has selected 1: a file"):
        FetchList(segment, 0)
