"""Sessions: declared schemas, clear errors, nothing left behind."""

import pytest

from crawl_ops.errors import StoreError
from crawl_ops.storage import names, schema
from crawl_ops.storage import session as session_module
from crawl_ops.storage.schema import schemas, table_of


@pytest.fixture
def queries(monkeypatch):
    texts = {}
    for module in (names, session_module):
        monkeypatch.setattr(
            module, "sql_text", lambda name: texts.get(name) or schema.sql_text(name)
        )
    return texts


@pytest.mark.parametrize("table", sorted(schemas()))
def test_a_table_without_files_has_its_declared_types(crawl, config, table):
    with crawl.session(config) as session:
        session.bind("empty", table, [])
        found = session.connection.sql("SELECT * FROM empty").to_arrow_table()
    assert found.num_rows == 0
    assert found.schema.names == schemas()[table].names
    assert found.schema.types == schemas()[table].types


def test_a_written_file_has_the_declared_schema_whatever_is_null(crawl, config, rows, queries):
    queries["narrow"] = "SELECT * REPLACE (NULL AS etag, 7::BIGINT AS retries) FROM incoming"
    with crawl.session(config) as session:
        session.bind_rows("incoming", "crawldb", rows(range(3)))
        session.copy("narrow", "crawldb", "crawldb/base/x.parquet")
        session.bind("back", "crawldb", ["crawldb/base/x.parquet"])
        found = session.connection.sql("SELECT * FROM back").to_arrow_table()
    assert found.schema.types == schemas()["crawldb"].types


def test_null_in_a_column_that_must_not_be_is_refused_and_nothing_is_seen(
    crawl, config, rows, queries
):
    queries["holes"] = "SELECT * REPLACE (NULL AS status) FROM incoming"
    with crawl.session(config) as session:
        session.bind_rows("incoming", "crawldb", rows(range(3)))
        with pytest.raises(StoreError, match=r"crawldb\.status: NULL"):
            session.copy("holes", "crawldb", "crawldb/base/x.parquet")
    assert not crawl.files.exists("crawldb/base/x.parquet")
    assert crawl.files.names("scratch/aside") == []


def test_a_missing_column_is_named(crawl, config, rows, queries):
    queries["less"] = "SELECT * EXCLUDE (score) FROM incoming"
    with crawl.session(config) as session:
        session.bind_rows("incoming", "crawldb", rows(range(3)))
        with pytest.raises(StoreError, match="score"):
            session.copy("less", "crawldb", "crawldb/base/x.parquet")


def test_the_order_of_a_select_is_the_order_of_the_file(crawl, config, rows, queries):
    queries["sorted"] = "SELECT * FROM incoming ORDER BY url DESC"
    with crawl.session(config) as session:
        session.bind_rows("incoming", "crawldb", rows(range(300)))
        session.copy("sorted", "crawldb", "x.parquet")
        session.bind("back", "crawldb", ["x.parquet"])
        found = [row[0] for row in session.connection.sql("SELECT url FROM back").fetchall()]
    assert found == sorted(found, reverse=True)


def test_a_name_may_stand_for_something_else_later(crawl, config, rows, queries):
    queries["all"] = "SELECT * FROM incoming"
    with crawl.session(config) as session:
        session.bind_rows("incoming", "crawldb", rows(range(3)))
        session.bind("incoming", "crawldb", [])
        assert session.create("copied", "all") == 0
        session.bind_rows("incoming", "crawldb", rows(range(4)))
        session.append("copied", "all")
        session.append_rows("copied", "crawldb", rows(range(2)))
        assert session.connection.sql("SELECT count(*) FROM copied").fetchall() == [(6,)]


def test_an_urls_text_is_data(crawl, config, rows, queries):
    queries["one"] = "SELECT url FROM incoming WHERE url = $url"
    hostile = "http://e.test/a'); DROP TABLE crawldb;--"
    with crawl.session(config) as session:
        session.bind_rows("incoming", "crawldb", rows([1], url=hostile))
        assert session.rows("one", url=hostile) == [{"url": hostile}]


def test_a_file_that_is_no_parquet_is_named(crawl, config):
    crawl.files.put("crawldb/base/bad.parquet", b"no parquet at all")
    with crawl.session(config) as session, pytest.raises(StoreError, match=r"bad\.parquet"):
        session.bind("crawldb", "crawldb", ["crawldb/base/bad.parquet"])


def test_the_spill_folder_goes_with_the_session(crawl, config):
    with crawl.session(config):
        pass
    assert crawl.files.names("scratch/spill") == []


def test_extensions_are_never_fetched(crawl, config):
    with crawl.session(config) as session:
        settings = dict(
            session.connection.sql(
                "SELECT name, value FROM duckdb_settings() WHERE name LIKE 'auto%_known_extensions'"
            ).fetchall()
        )
    assert settings == {
        "autoinstall_known_extensions": "false",
        "autoload_known_extensions": "false",
    }


def test_a_value_of_the_wrong_type_names_table_and_column(rows):
    with pytest.raises(StoreError, match=r"crawldb\.score"):
        table_of("crawldb", rows([1], score="high"))
    with pytest.raises(StoreError, match=r"crawldb\.url: NULL"):
        table_of("crawldb", rows([1], url=None))
