"""The views over a crawl and the questions that users ask of them."""

import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import duckdb
import pytest

from crawl_ops.config.load import load
from crawl_ops.config.properties import CrawlConfig
from crawl_ops.errors import StoreError
from crawl_ops.model import JobReport
from crawl_ops.storage import ask
from crawl_ops.storage.crawl_dir import CrawlDir
from crawl_ops.storage.segment import PARTS, Segment
from crawl_ops.storage.views import VIEWS

NOW = datetime(2026, 7, 1, 12, 0, 0, 250_000, tzinfo=UTC)
HOST = {"host": "a.example", "domain": "a.example", "slot": 7}


@pytest.fixture
def config() -> CrawlConfig:
    return load(None, {"http.agent.name": "testbot"})


@pytest.fixture
def crawl(tmp_path: Path) -> CrawlDir:
    return CrawlDir.open(tmp_path / "it's a crawl", create=True)


def fetched(k: int, attempt: str = "a1", **changes: Any) -> dict[str, Any]:
    return {
        "k": k,
        "url": f"http://a.example/{k}",
        **HOST,
        "list": 0,
        "attempt": attempt,
        "fetch_status": "fetch_success",
        "protocol_status": "success",
        "fetch_time": NOW,
        "bytes": 3,
        "hops": 0,
        "score": 1.0,
        "interval_s": 60,
        "retries": 0,
        **changes,
    }


def link(k: int, from_k: int, attempt: str) -> dict[str, Any]:
    return {
        "k": k,
        "slot": 7,
        "to_url": f"http://a.example/{k}",
        "to_host": "a.example",
        "to_domain": "a.example",
        "from_k": from_k,
        "from_url": f"http://a.example/{from_k}",
        "from_host": "a.example",
        "attempt": attempt,
        "kind": "link",
        "position": 0,
        "score": 0.5,
    }


def segment(crawl: CrawlDir, name: str) -> Segment:
    made = crawl.new_segment(name)
    made.publish({"created": NOW.isoformat(), "lists": [{"list": 0}]})
    return made


def crawldb(crawl: CrawlDir, config: CrawlConfig, *rows: dict[str, Any], operation: str) -> None:
    commit = crawl.table("crawldb").begin("inject", operation, config, NOW)
    with crawl.session(config) as session:
        session.bind_rows("emitted", "crawldb", rows)
        for bucket in commit.buckets():
            path = commit.data_path(bucket)
            entry = session.copy_bucket("everything", "crawldb", bucket, path)
            commit.replace(bucket, entry)
    commit.publish(JobReport("inject"))


@pytest.fixture(autouse=True)
def everything(monkeypatch: pytest.MonkeyPatch) -> None:
    """A statement of the test's own, by the name `everything`."""
    from crawl_ops.storage import session

    known = session.sql_text
    monkeypatch.setattr(
        session, "sql_text", lambda n: "SELECT * FROM emitted" if n == "everything" else known(n)
    )


def url_row(k: int, **changes: Any) -> dict[str, Any]:
    row = {"k": k, "url": f"http://a.example/{k}", **HOST, "status": "db_unfetched"}
    return row | {"fetch_time": NOW, "interval_s": 60, "retries": 0, "score": 1.0} | changes


def asked(crawl: CrawlDir, config: CrawlConfig, sql: str) -> list[dict[str, Any]]:
    return list(crawl.query(config, sql))


def test_an_empty_crawl_has_all_views_with_all_columns(
    crawl: CrawlDir, config: CrawlConfig
) -> None:
    for name in VIEWS:
        assert asked(crawl, config, f"SELECT count(*) AS n FROM {name}") == [{"n": 0}]
    shown = {row["name"] for row in asked(crawl, config, "SHOW TABLES")}
    assert shown == set(VIEWS)
    columns = [row["column_name"] for row in asked(crawl, config, "DESCRIBE crawl_fetch")]
    assert columns[:3] == ["segment", "k", "slot"]
    columns = [row["column_name"] for row in asked(crawl, config, "DESCRIBE hostdb")]
    assert columns[:2] == ["version", "host"]


def refused(k: int, step: str, rule: str, hours: int = 0, **changes: Any) -> dict[str, Any]:
    row = {"k": k, "url": f"http://a.example/{k}", "attempt": "a1", "step": step, "rule": rule}
    return row | {"time": NOW + timedelta(hours=hours)} | changes


def test_why_not_tells_of_every_url_without_a_page(crawl: CrawlDir, config: CrawlConfig) -> None:
    before, since = NOW - timedelta(hours=2), NOW + timedelta(hours=2)
    rows = [
        url_row(1, status="db_fetched", fetched_time=NOW),
        url_row(2, reason="found by link"),
        url_row(3, reason="found by link"),
        url_row(4, reason="http 503", fetched_time=before, segment="s0", retries=1),
        url_row(5, reason="http 503", fetched_time=since, segment="s2", retries=1),
        url_row(6, reason="found by link"),
        url_row(7, status="db_gone", protocol_status="notfound", fetched_time=NOW, segment="s1"),
        url_row(8, status="db_gone", reason="robots: Disallow: /", fetched_time=before),
    ]
    crawldb(crawl, config, *rows, operation="o")
    made = segment(crawl, "s1")
    source = "http://b.example/"
    notes = [
        refused(1, "parse", "db.max.outlinks.per.page", from_url=source),
        refused(3, "parse", "urlfilter.regex", from_url=source),
        *(refused(k, "fetch", "fetcher.timelimit.mins") for k in (3, 4, 5, 8)),
        refused(6, "fetch", "fetcher.timelimit.mins"),
        refused(6, "generate", "urlfilter.regex", 1, detail="-\\.gif$"),
        refused(9, "parse", "urlfilter.suffix", detail=".jpg", from_url=source),
        refused(9, "parse", "urlfilter.suffix", detail=".jpg", from_url="http://c.example/"),
    ]
    made.write_part("rejected", 0, "a1.0000", notes)
    told = asked(crawl, config, "SELECT * FROM why_not ORDER BY url")
    assert list(told[0]) == ["status", "url", "reason", "segment"]
    assert [(int(row["url"][-1]), row["reason"], row["segment"]) for row in told] == [
        (2, "not selected yet: found by link", None),
        (3, "passed over in the last fetch: fetcher.timelimit.mins", "s1"),
        (4, "passed over in the last fetch: fetcher.timelimit.mins", "s1"),
        (5, "http 503", "s2"),
        (6, "not selected: urlfilter.regex: -\\.gif$", "s1"),
        (7, "notfound", "s1"),
        (8, "robots: Disallow: /", None),
        (9, "refused by parse: urlfilter.suffix: .jpg", "s1"),
    ]
    assert [row["status"] for row in told][-2:] == ["db_gone", None]


def generated(k: int) -> dict[str, Any]:
    row = {"k": k, "url": f"http://a.example/{k}", **HOST, "list": 0, "position": k, "score": 1.0}
    return row | {"status": "db_unfetched", "fetch_time": NOW, "interval_s": 60, "retries": 0}


def test_why_not_tells_of_what_open_segments_have(crawl: CrawlDir, config: CrawlConfig) -> None:
    rows = [url_row(k, reason="found by link") for k in range(1, 8)]
    rows.append(url_row(8, status="db_gone", reason="http 404", segment="s0"))
    crawldb(crawl, config, *rows, operation="o")
    earlier, made = segment(crawl, "s0"), segment(crawl, "s1")
    earlier.write_part("rejected", 0, "a1.0000", [refused(6, "fetch", "fetcher.timelimit.mins")])
    made.write_part("crawl_generate", 0, "all.0000", [generated(k) for k in (2, 3, 4, 5, 6, 8)])
    failed = {"fetch_status": "fetch_retry", "protocol_status": "exception", "reason": "http 503"}
    answers = [fetched(2), fetched(3, **failed), fetched(9, via="http://a.example/3", **failed)]
    made.write_part("crawl_fetch", 0, "a1.0000", answers)
    passed = [refused(5, "fetch", "fetcher.timelimit.mins", 1), refused(7, "generate", "x")]
    made.write_part("rejected", 0, "a1.0001", passed)
    told = asked(crawl, config, "SELECT * FROM why_not ORDER BY url")
    asked_for = "asked for in an open segment, not folded in yet: "
    selected = "selected in an open segment, not asked for yet: "
    assert [(int(row["url"][-1]), row["reason"], row["segment"]) for row in told] == [
        (1, "not selected yet: found by link", None),
        (2, f"{asked_for}fetch_success: success", "s1"),
        (3, f"{asked_for}fetch_retry: http 503", "s1"),
        (4, f"{selected}found by link", "s1"),
        (5, "passed over in the last fetch: fetcher.timelimit.mins", "s1"),
        (6, f"{selected}found by link", "s1"),
        (7, "not selected: x", "s1"),
        (8, f"{selected}http 404", "s1"),
        (9, f"{asked_for}fetch_retry: http 503", "s1"),
    ]
    commit = crawl.table("crawldb").begin("updatedb", "fold", config, NOW + timedelta(hours=1))
    commit.segments.append("s1")
    commit.publish(JobReport("updatedb"))
    told = asked(crawl, config, "SELECT reason FROM why_not WHERE contains(reason, 'open')")
    assert told == []


def test_parts_of_all_segments_have_their_segment(crawl: CrawlDir, config: CrawlConfig) -> None:
    for number, name in enumerate(("20260701-a", "20260702-b")):
        made = segment(crawl, name)
        made.write_part("crawl_fetch", 0, "a1.0000", [fetched(number)])
        made.write_part("crawl_fetch", 1, "a2.0000", [fetched(number + 10, "a2", list=1)])
    crawl.new_segment("20260703-open").write_part("crawl_fetch", 0, "a1.0000", [fetched(99)])
    rows = asked(crawl, config, "SELECT segment, k FROM crawl_fetch ORDER BY segment, k")
    assert rows == [
        {"segment": "20260701-a", "k": 0},
        {"segment": "20260701-a", "k": 10},
        {"segment": "20260702-b", "k": 1},
        {"segment": "20260702-b", "k": 11},
    ]
    one = asked(crawl, config, "SELECT k FROM crawl_fetch WHERE segment = '20260702-b' ORDER BY k")
    assert [row["k"] for row in one] == [1, 11]


def test_what_two_attempts_fetched_counts_once(crawl: CrawlDir, config: CrawlConfig) -> None:
    plain = segment(crawl, "s1")
    plain.write_part("crawl_fetch", 0, "a1.0000", [fetched(1)])
    twice = segment(crawl, "s2")
    failed = fetched(1, "a1", fetch_status="fetch_retry", protocol_status="exception")
    twice.write_part("crawl_fetch", 0, "a1.0000", [failed, fetched(2, "a1")])
    twice.write_part("crawl_fetch", 0, "a2.0000", [fetched(1, "a2"), fetched(3, "a2")])
    twice.write_part("crawl_parse", 0, "a1.0000p", [link(5, 1, "a1"), link(5, 2, "a1")])
    twice.write_part("crawl_parse", 0, "a2.0000p", [link(5, 1, "a2")])
    rows = asked(crawl, config, "SELECT segment, k, attempt FROM crawl_fetch ORDER BY ALL")
    assert [tuple(row.values()) for row in rows] == [
        ("s1", 1, "a1"),
        ("s2", 1, "a2"),
        ("s2", 2, "a1"),
        ("s2", 3, "a2"),
    ]
    links = asked(crawl, config, "SELECT from_k, attempt FROM crawl_parse ORDER BY ALL")
    assert links == [{"from_k": 1, "attempt": "a2"}, {"from_k": 2, "attempt": "a1"}]


def test_the_crawldb_is_the_current_version(crawl: CrawlDir, config: CrawlConfig) -> None:
    crawldb(crawl, config, url_row(1), operation="one")
    crawldb(crawl, config, url_row(1), url_row(2), operation="two")
    rows = asked(crawl, config, "SELECT version, count(*) AS n FROM crawldb GROUP BY version")
    assert rows == [{"version": 2, "n": 2}]


def test_values_are_as_json_has_them(crawl: CrawlDir, config: CrawlConfig) -> None:
    crawldb(crawl, config, url_row(2**64 - 1, signature=b"\x00\xff"), operation="one")
    rows = asked(
        crawl,
        config,
        """SELECT k, signature, fetch_time, reason, 'nan'::FLOAT AS nan, [1, NULL] AS list,
        {'a': fetch_time} AS struct, MAP {'x': 1} AS map, DATE '2026-07-01' AS day,
        fetch_time::TIMESTAMP AS naive, 2::HUGEINT AS huge, 1.5::DECIMAL(4, 2) AS decimal,
        INTERVAL 90 SECOND AS span, 1 AS n, 2 AS n, 170141183460469231731687303715884105727 AS big
        FROM crawldb""",
    )
    span = rows[0].pop("span")
    assert "90" in str(span)
    assert rows == [
        {
            "k": 2**64 - 1,
            "signature": "00ff",
            "fetch_time": "2026-07-01T12:00:00.250000Z",
            "reason": None,
            "nan": None,
            "list": [1, None],
            "struct": {"a": "2026-07-01T12:00:00.250000Z"},
            "map": {"x": 1},
            "day": "2026-07-01",
            "naive": "2026-07-01T12:00:00.250000",
            "huge": 2,
            "decimal": 1.5,
            "n": 1,
            "n_1": 2,
            "big": 2**127 - 1,
        }
    ]


@pytest.mark.parametrize(
    "sql",
    [
        "CREATE TABLE x AS SELECT 1",
        "CREATE VIEW x AS SELECT 1",
        "DROP VIEW crawldb",
        "INSERT INTO crawldb SELECT * FROM crawldb",
        "DELETE FROM crawldb",
        "UPDATE crawldb SET url = ''",
        "COPY (SELECT 1) TO '{root}/x.csv'",
        "COPY crawldb FROM '{root}/x.csv'",
        "EXPORT DATABASE '{root}/x'",
        "EXPLAIN ANALYZE COPY (SELECT 1) TO '{root}/x.csv'",
        "EXPLAIN /* */ ANALYZE COPY (SELECT 1) TO '{root}/x.csv'",
        "EXPLAIN (ANALYZE) COPY (SELECT 1) TO '{root}/x.csv'",
        "EXPLAIN ANALYZE CREATE TABLE x AS SELECT 1",
        "ATTACH '{root}/x.db' AS x",
        "DETACH memory",
        "SET threads = 1",
        "RESET threads",
        "PRAGMA threads = 1",
        "USE memory",
        "INSTALL httpfs",
        "LOAD httpfs",
        "CALL pragma_version()",
        "PREPARE x AS SELECT 1",
        "CHECKPOINT",
        "BEGIN",
        "VACUUM",
        "SELECT 1; SELECT 2",
        "SELECT 1; DROP VIEW crawldb",
        "PIVOT crawldb ON status USING count(*)",
        "",
        "SELEC 1",
        "SELECT nothing FROM crawldb",
        "SELECT * FROM nothing",
        "SELECT $1",
        "SELECT 'x'::INTEGER",
        "SELECT 'infinity'::TIMESTAMPTZ",
        "FROM config",
        "FROM read_text('/etc/hostname')",
        "FROM '/etc/hostname.csv'",
        "FROM read_text('{root}/../secret.txt')",
        "FROM glob('{root}/../*')",
        "FROM 'http://127.0.0.1:1/x.parquet'",
        "FROM query('CREATE TABLE x AS SELECT 1')",
    ],
)
def test_what_only_reads_the_crawl_is_answered_and_nothing_else(
    crawl: CrawlDir, config: CrawlConfig, sql: str
) -> None:
    (crawl.root.parent / "secret.txt").write_text("secret")
    before = sorted(crawl.files.walk(""))
    root = str(crawl.root).replace("'", "''")
    with pytest.raises(StoreError) as error:
        asked(crawl, config, sql.format(root=root))
    message = str(error.value)
    assert message.startswith("sql: ")
    assert "\n" not in message
    assert "secret" not in message.replace("secret.txt", "")
    assert sorted(crawl.files.walk("")) == before


@pytest.mark.parametrize(
    "sql",
    [
        "WITH x AS (SELECT 1 AS n) FROM x",
        "VALUES (1)",
        "FROM crawldb;",
        "EXPLAIN FROM crawldb",
        "EXPLAIN ANALYZE SELECT count(*) FROM crawldb",
        "DESCRIBE crawldb",
        "SUMMARIZE crawldb",
        "FROM query('SELECT 1')",
        "PIVOT crawldb ON status IN ('db_gone') USING count(*)",
        "-- a remark\nSELECT 1",
    ],
)
def test_what_reads_is_allowed(crawl: CrawlDir, config: CrawlConfig, sql: str) -> None:
    crawldb(crawl, config, url_row(1), operation="one")
    assert asked(crawl, config, sql)


def test_a_view_that_is_not_there_is_told_with_those_that_are(
    crawl: CrawlDir, config: CrawlConfig
) -> None:
    with pytest.raises(
        StoreError, match=r"there is no view segments; there are crawldb, .*why_not"
    ):
        asked(crawl, config, "SELECT * FROM segments")


def test_a_large_question_spills_into_the_crawl_folder(crawl: CrawlDir) -> None:
    config = load(None, {"http.agent.name": "x", "duckdb.memory_limit": "60MB"})
    rows = asked(
        crawl,
        config,
        "SELECT count(*) AS n FROM (SELECT i, md5(i::VARCHAR) AS m FROM range(2000000) t(i)"
        " ORDER BY m OFFSET 1)",
    )
    assert rows == [{"n": 1_999_999}]
    assert crawl.files.names("scratch/spill") == []


def test_files_that_go_away_meanwhile_are_looked_up_again(
    crawl: CrawlDir, config: CrawlConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    crawldb(crawl, config, url_row(1), operation="one")
    old = crawl.table("crawldb").current().files[0].path
    bound = ask.bind_views
    calls: list[int] = []

    def bind_then_vacuum(*args: Any, **kwargs: Any) -> None:
        bound(*args, **kwargs)
        calls.append(1)
        if len(calls) == 1:
            crawldb(crawl, config, url_row(1), url_row(2), operation="two")
            crawl.files.remove(old)

    monkeypatch.setattr(ask, "bind_views", bind_then_vacuum)
    assert asked(crawl, config, "SELECT count(*) AS n FROM crawldb") == [{"n": 2}]
    assert len(calls) == 2


def test_a_file_that_stays_away_is_one_line(crawl: CrawlDir, config: CrawlConfig) -> None:
    crawldb(crawl, config, url_row(1), operation="one")
    crawl.files.remove(crawl.table("crawldb").current().files[0].path)
    with pytest.raises(StoreError, match=r"\.parquet: this data file is missing"):
        asked(crawl, config, "FROM crawldb")


def test_asking_while_rounds_are_committed(crawl: CrawlDir, config: CrawlConfig) -> None:
    crawldb(crawl, config, url_row(0), operation="first")
    over = threading.Event()
    seen: list[int] = []

    def reader() -> None:
        while not over.is_set():
            rows = asked(crawl, config, "SELECT version, count(*) AS n FROM crawldb GROUP BY ALL")
            seen.append(rows[0]["n"] - rows[0]["version"])

    thread = threading.Thread(target=reader)
    thread.start()
    for number in range(1, 8):
        urls = [url_row(k) for k in range(number + 1)]
        crawldb(crawl, config, *urls, operation=str(number))
    over.set()
    thread.join()
    assert seen
    assert set(seen) == {0}


def test_rows_come_as_they_are_asked_for(crawl: CrawlDir, config: CrawlConfig) -> None:
    rows: Iterator[dict[str, Any]] = crawl.query(config, "SELECT i FROM range(1000000000) t(i)")
    assert next(rows) == {"i": 0}
    rows.close()  # type: ignore[attr-defined]
    assert crawl.files.names("scratch/spill") == []


def test_the_script_runs_in_any_shell(crawl: CrawlDir, config: CrawlConfig) -> None:
    crawldb(crawl, config, url_row(1), operation="one")
    made = segment(crawl, "s1")
    made.write_part("crawl_fetch", 0, "a1.0000", [fetched(1, fetch_time=NOW - timedelta(1))])
    script = ask.views_script(crawl, config)
    assert "it''s a crawl" in script
    with duckdb.connect() as shell:
        shell.execute(script)
        for name in (*PARTS, "crawldb", "linkdb", "hostdb"):
            found = shell.execute(f"SELECT count(*) FROM {name}").fetchall()
            assert found == [(1 if name in ("crawldb", "crawl_fetch") else 0,)]
        assert shell.execute("SELECT segment FROM crawl_fetch").fetchall() == [("s1",)]
