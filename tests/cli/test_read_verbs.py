import csv
import json

import pytest

from crawl_ops.cli import output, read_verbs


def test_readdb_stats_and_record(world, run) -> None:
    assert run("readdb", "--stats", "--json").json() == [world.stats]
    assert run("readdb", "--url", "http://a.example/", "--json").json()[0]["status"] == "db_fetched"
    assert "status\tdb_fetched" in run("readdb", "--url", "http://a.example/").lines


@pytest.mark.parametrize("question", [("readdb", "--url"), ("readseg", "--get")])
def test_what_is_not_there_is_null_and_exit_1(world, run, question) -> None:
    done = run(*question, "http://nowhere.example/", "--json")
    assert (done.code, done.out, done.err) == (1, "null\n", "")
    done = run(*question, "http://nowhere.example/")
    assert (done.code, done.out) == (1, "")
    assert "http://nowhere.example/" in done.err


@pytest.mark.parametrize(
    "question", ["readdb --url", "readseg --get", "explain", "readlinkdb --url"]
)
def test_what_is_no_url_is_told_as_such_and_exit_1(world, run, question) -> None:
    world.inlinks = []
    done = run(*question.split(), "no url", "--json")
    assert (done.code, len(done.json()), done.err) == (1, 1, "")
    done = run(*question.split(), "no url")
    assert (done.code, done.err) == (1, "crawl-ops: 'no url' is no URL\n")


def test_a_url_that_the_crawl_has_never_seen_has_its_story_and_exit_1(world, run) -> None:
    url = "http://nowhere.example/"
    done = run("explain", url, "--json")
    assert (done.code, done.json(), done.err) == (1, [world.story], "")
    done = run("explain", url)
    assert (done.code, done.err) == (1, f"crawl-ops: {url} is not known to this crawl\n")
    assert done.lines[-1] == "next fetch: never"


def test_dump_in_three_forms(world, run) -> None:
    assert [r["url"] for r in run("readdb", "--dump", "--json").json()] == [
        "http://a.example/",
        "http://b.example/x",
    ]
    assert run("readdb", "--dump", "--format", "json").json()[1]["status"] == "db_gone"
    rows = list(csv.DictReader(run("readdb", "--dump", "--format", "csv").lines))
    assert rows[0]["Status code"] == "2"
    assert rows[0]["Retry interval days"] == "30"
    assert json.loads(rows[0]["Metadata"]) == {"a": "b"}
    normal = run("readdb", "--dump").lines
    assert normal[:3] == [
        "http://a.example/",
        "Status: 2 (db_fetched)",
        "Fetch time: 2026-08-01T00:00:00Z",
    ]
    assert "Retry interval: 2592000 seconds (30 days)" in normal


@pytest.mark.parametrize(
    ("condition", "urls"),
    [
        (("--status", "db_gone"), ["http://b.example/x"]),
        (("--regex", "http://[ab]"), []),
        (("--regex", ".*/x"), ["http://b.example/x"]),
        (("--retry", "1"), ["http://b.example/x"]),
        (("--limit", "1"), ["http://a.example/"]),
        (("--limit", "0"), []),
    ],
)
def test_dump_selects(world, run, condition, urls) -> None:
    found = run("readdb", "--dump", *condition, "--json").json()
    assert [record["url"] for record in found] == urls


def test_readlinkdb(world, run) -> None:
    done = run("readlinkdb", "--url", "http://a.example/", "--json")
    assert done.json()[0]["inlinks"] == [{"url": "http://b.example/", "anchor": "to\ta"}]
    assert run("readlinkdb", "--url", "u").lines == ["from\tanchor", "http://b.example/\tto a"]


def test_no_links_or_no_linkdb_is_one_line_and_exit_1(world, run) -> None:
    url, world.inlinks = "http://a.example/", []
    done = run("readlinkdb", "--url", url)
    assert (done.code, done.out) == (1, "")
    assert done.err == f"crawl-ops: no link to {url} is in the linkdb\n"
    world.linkdb_version = 0
    done = run("readlinkdb", "--url", url)
    assert (done.code, done.out) == (1, "")
    assert done.err == "crawl-ops: there is no linkdb yet; the verb invertlinks makes it\n"
    done = run("readlinkdb", "--url", url, "--json")
    assert (done.code, done.json(), done.err) == (1, [{"url": url, "inlinks": []}], "")


def test_readseg(world, run) -> None:
    assert run("readseg", "--list", "--json").json() == [
        [{"segment": "20260701000000", "fetched": 2}]
    ]
    assert run("readseg", "--list").lines == ["segment\tfetched", "20260701000000\t2"]
    assert run("readseg", "--list", "x/S1").lines == ["segment\tfetched", "S1\t3"]
    one = run("readseg", "--get", "http://a.example/", "x/S1", "--json").json()
    assert one == [{"url": "http://a.example/", "segment": "S1"}]


def test_explain_reads_as_a_story(world, run) -> None:
    world.story = {
        "url": "HTTP://a.example",
        "normalized": "http://a.example/",
        "status": "db_gone",
        "steps": [
            {
                "step": "fetch",
                "outcome": "fetch_gone",
                "reason": "robots",
                "detail": "Disallow: /",
                "time": "2026-07-01T00:00:00Z",
            }
        ],
        "next_fetch": None,
    }
    assert run("explain", "HTTP://a.example", "--json").json() == [world.story]
    assert run("explain", "HTTP://a.example").lines == [
        "HTTP://a.example: db_gone",
        "normalized: http://a.example/",
        "time\tstep\toutcome\treason\tdetail",
        "2026-07-01T00:00:00Z\tfetch\tfetch_gone\trobots\tDisallow: /",
        "next fetch: never",
    ]


def test_search(world, run) -> None:
    found = run("search", "*", "--json").json()[0]
    assert found["total"] == 7
    assert found["hits"] == [
        {"url": "http://a.example/", "title": "A", "score": 1.5, "snippet": "a <b>a</b>"}
    ]
    told = run("search", "words").lines
    assert told == ["rank\ttitle\turl\tsnippet", "1\tA\thttp://a.example/\ta <b>a</b>"]


def test_search_without_hits_or_without_an_index_says_so(world, run) -> None:
    done = run("search", "nothing")
    assert (done.code, done.lines, done.err) == (0, ["nothing found"], "")
    world.index_is_there = False
    done = run("search", "words")
    assert (done.code, done.out) == (1, "")
    assert done.err == "crawl-ops: there is no search index yet; the verb index makes it\n"
    done = run("search", "words", "--json")
    assert (done.code, done.json(), done.err) == (1, [{"total": 0, "hits": []}], "")


def test_sql_prints_a_row_a_line(world, run) -> None:
    world.rows = [{"n": 1, "b": b"\xff"}, {"n": None, "b": None}]
    assert run("sql", "select 1", "--json").json() == [{"n": 1, "b": "ff"}, {"n": None, "b": None}]
    assert run("sql", "select 1").lines == ["n\tb", "1\tff", "\t"]
    world.rows = []
    assert run("sql", "select 1", "--json").out == ""
    assert run("sql", "select 1").out == ""


def test_a_terminal_gets_no_endless_table(world, run, monkeypatch) -> None:
    monkeypatch.setattr(output, "on_terminal", lambda: True)
    monkeypatch.setattr(read_verbs, "on_terminal", lambda: True)
    monkeypatch.setattr(read_verbs, "ROWS_ON_TERMINAL", 3)
    world.rows = [{"n": number} for number in range(90, 95)]
    shown = run("sql", "select n").out
    assert "92" in shown
    assert "93" not in shown
    assert "the first 3 rows" in shown
