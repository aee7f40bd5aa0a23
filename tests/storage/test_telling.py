"""What is told of broken files and a full disk: one line that names the file."""

import re

import duckdb
import pytest

from crawl_ops.config.load import load
from crawl_ops.errors import StoreError
from crawl_ops.storage.ask import query
from crawl_ops.storage.crawl_dir import CrawlDir
from crawl_ops.storage.telling import told


@pytest.fixture
def crawl(tmp_path):
    return CrawlDir.open(tmp_path / 'it\'s "c"', create=True)


@pytest.fixture
def file(crawl):
    """A data file of a table, as it is bound."""
    with crawl.session(load()) as session:
        session.bind_rows("none", "robots", [])
        session.copy_select("SELECT * FROM none", "robots", "robots.parquet")
    return crawl.root / "robots.parquet"


def read(crawl):
    with crawl.session(load()) as session:
        session.bind("robots", "robots", ["robots.parquet"])
        session.count("robots")


@pytest.mark.parametrize("kept", [0, 5, 100, -3])
def test_a_truncated_data_file_is_named_without_sql(crawl, file, kept):
    file.write_bytes(file.read_bytes()[:kept])
    with pytest.raises(StoreError) as raised:
        read(crawl)
    said = str(raised.value)
    assert said.startswith(f"{file}: this data file is broken (")
    assert "docs/recovery.md" in said
    assert not re.search("LINE|SELECT|read_parquet", said)


def test_a_data_file_that_was_removed_is_named_without_sql(crawl, file):
    file.unlink()
    with pytest.raises(StoreError) as raised:
        read(crawl)
    assert str(raised.value) == (
        f"{file}: this data file is missing; docs/recovery.md says what mends it"
    )


def test_a_full_disk_is_told_before_all(crawl):
    with (
        crawl.session(load()) as session,
        pytest.raises(StoreError, match=r"^/dev/full: the disk is full$"),
        told("COPY (SELECT 1)"),
    ):
        session.connection.execute("COPY (SELECT 1) TO '/dev/full' (FORMAT parquet)")


def test_other_failures_do_not_repeat_the_statement(crawl):
    with (
        crawl.session(load()) as session,
        pytest.raises(StoreError, match=r"^a name: Catalog Error: .*nothing") as raised,
        told("a name"),
    ):
        session.connection.execute("SELECT 1 FROM nothing")
    assert "LINE" not in str(raised.value)
    assert isinstance(raised.value.__cause__, duckdb.CatalogException)


def test_a_query_of_a_user_is_shown_where_it_is_wrong(crawl):
    with pytest.raises(StoreError, match="LINE 1: select 1 fro crawldb x"):
        list(query(crawl, load(), "select 1 fro crawldb x"))
