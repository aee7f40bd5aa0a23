"""Hosts, a URL, the index, segments, the configuration."""

from datetime import timedelta
from pathlib import Path

import pytest

from crawl_ops.config.load import load
from crawl_ops.errors import ConfigError, NotFoundError
from crawl_ops.index.document import Document
from crawl_ops.index.writers import writers
from crawl_ops.web import tables
from crawl_ops.web.runs import crawl_of, refuse_foreign_rules

HOSTILE_URL = "http://a.example/<script>alert(1)</script>?q='\"><svg/onload=alert(1)>"
HOSTILE = "<script>alert('title')</script>"


def full(made, hosts: int = 3):
    urls = [f"http://h{n:04}.example/{page}" for n in range(hosts) for page in range(2)]
    made.seeds(urls)
    segment = made.generate()
    made.fetch(segment, {urls[0]: "fetch_gone", urls[1]: "fetch_retry"})
    made.update(segment)
    return crawl_of(made.run())


def test_hosts_by_what_there_is_most_of(made) -> None:
    found = full(made)
    shown = tables.hosts(found, made.config(), "", "gone", 0)
    assert shown["total"] == 3
    assert [row["host"] for row in shown["hosts"]] == [
        "h0000.example",
        "h0001.example",
        "h0002.example",
    ]
    assert shown["hosts"][0]["gone"] == 1
    assert shown["hosts"][0]["last_reason"]
    by_fetched = tables.hosts(found, made.config(), "", "fetched", 0)["hosts"]
    assert by_fetched[-1]["host"] == "h0000.example"


def test_hosts_are_found_by_a_part_of_their_name(made) -> None:
    found = full(made)
    assert tables.hosts(found, made.config(), "H0001", "host", 0)["total"] == 1
    for strange in ("%", "_", "'; DROP TABLE hostdb; --", HOSTILE):
        assert tables.hosts(found, made.config(), strange, "host", 0)["hosts"] == []


def test_many_hosts_come_some_at_a_time(made) -> None:
    found = full(made, hosts=250)
    first = tables.hosts(found, made.config(), "", "host", 0)
    last = tables.hosts(found, made.config(), "", "host", 200)
    assert (first["total"], len(first["hosts"])) == (250, tables.ROWS_MOST)
    assert (len(last["hosts"]), last["hosts"][-1]["host"]) == (50, "h0249.example")
    assert tables.hosts(found, made.config(), "", "host", 10_000)["hosts"] == []


def test_a_crawl_without_hosts(made) -> None:
    made.seeds(["http://a.example/"])
    assert tables.hosts(crawl_of(made.run()), made.config(), "", "host", 0) == {
        "total": 0,
        "offset": 0,
        "most": tables.ROWS_MOST,
        "hosts": [],
    }


def test_the_story_of_a_url(made) -> None:
    found = full(made)
    story = tables.url_story(found, made.config(), "http://h0000.example/0", made.now)
    assert story["status"] == "db_gone"
    assert story["record"]["status"] == "db_gone"
    assert "fetch" in [step["step"] for step in story["steps"]]


@pytest.mark.parametrize(
    "url",
    [
        HOSTILE_URL,
        "javascript:alert(1)",
        "http://[",
        "\x00",
        "'; DROP TABLE crawldb; --",
        "x" * 4000,
    ],
)
def test_the_story_of_a_hostile_url(made, client, url) -> None:
    full(made)
    page = client(made.run())
    answer = page.get(f"/run/crawl/{made.run_id}/url", params={"url": url})
    assert answer.status_code == 200
    assert answer.headers["Content-Type"] == "application/json"
    assert answer.json()["url"] == url
    assert answer.json()["record"] is None


def test_steps_are_not_longer_than_a_page(made, monkeypatch) -> None:
    step = {"step": "fetch", "outcome": "x", "reason": "y" * 9_000, "detail": None, "time": None}
    monkeypatch.setattr(
        tables, "explain", lambda *_: {"url": "u", "steps": [dict(step)] * 500, "status": None}
    )
    story = tables.url_story(full(made), made.config(), "http://h0000.example/0", made.now)
    assert (len(story["steps"]), story["left_off"]) == (tables.STEPS_MOST, 300)
    assert len(story["steps"][0]["reason"]) == tables.TEXT_MOST + 1


def test_titles_of_strangers_are_only_text(made, client) -> None:
    full(made)
    for writer in writers(made.config(), made.crawl.index_location):
        writer.open()
        fields = {"title": HOSTILE, "content": f"lighthouse {HOSTILE}", "url": HOSTILE_URL}
        writer.write(Document(id=HOSTILE_URL, fields=fields, boost=1.0))
        writer.commit()
        writer.close()
    answer = client(made.run()).get(
        f"/run/crawl/{made.run_id}/search", params={"query": "lighthouse"}
    )
    (hit,) = answer.json()["hits"]
    assert (hit["title"], hit["url"]) == (HOSTILE, HOSTILE_URL)
    assert answer.headers["Content-Type"] == "application/json"


def test_a_search_without_an_index(made) -> None:
    found = tables.index_hits(full(made), "*", 0)
    assert (found["total"], found["hits"]) == (0, [])


def test_segments_of_the_run_are_marked(made) -> None:
    found = full(made)
    made.run_id = "another"
    made.now += timedelta(minutes=1)
    made.generate(add_days=60)
    shown = tables.segments(found)
    assert [row["mine"] for row in shown["segments"]] == [False, True]
    assert shown["segments"][1]["folded"] is True
    assert shown["total"] == 2


def test_one_segment_and_its_lists(made) -> None:
    made.seeds([f"http://h{n}.example/" for n in range(4)])
    segment = made.generate(lists=2)
    made.fetch(segment, {"http://h0.example/": "fetch_gone"}, lists=[0])
    told = tables.segment(crawl_of(made.run()), segment.name)
    assert (told["segment"], told["mine"], told["folded"]) == (segment.name, True, False)
    assert (told["lists"], told["generated"]) == (2, 4)
    first, second = told["each"]
    assert sum(first["fetched"].values()) == first["urls"]
    assert first["parsed"] is not None
    assert (second["fetched"], second["parsed"]) == (None, None)
    with pytest.raises(NotFoundError):
        tables.segment(crawl_of(made.run()), "../crawldb")


def test_the_configuration_in_force_tells_no_secret(made) -> None:
    made.seeds(["http://a.example/"])
    config = made.config
    made.config = lambda **given: config(
        **{"http.proxy.password": "hidden-word", "fetcher.server.delay": 3.5, **given}
    )
    made.generate()
    rows = {row["name"]: row for row in tables.configuration(crawl_of(made.run()))["properties"]}
    assert rows["fetcher.server.delay"]["value"] == 3.5
    assert rows["fetcher.server.delay"]["changed"] is True
    assert rows["http.timeout"]["changed"] is False
    assert rows["duckdb.memory_limit"]["changed"] is False
    assert rows["http.proxy.password"]["value"] == "***"
    assert "hidden-word" not in str(rows)


@pytest.mark.parametrize(
    "given",
    [
        {"urlfilter.order": ["regex", "evil:Filter"]},
        {"urlnormalizer.order": ["evil:Normalizer"]},
        {"indexingfilter.order": ["evil:IndexingFilter"]},
        {"urlfilter.regex.file": "/etc/hostname"},
        {"plugin.folders": "/tmp"},
    ],
)
def test_the_api_server_runs_no_code_and_reads_no_file_of_a_runs_conf(given, tmp_path) -> None:
    config = load(None, given)
    toml = tmp_path / "include" / "crawl.toml"
    for file in (None, toml):
        with pytest.raises(ConfigError, match="crawl-ops explain"):
            refuse_foreign_rules(config, file)


def test_rule_files_beside_the_configuration_are_read(tmp_path: Path) -> None:
    (tmp_path / "rules.txt").write_text("+.")
    config = load(None, {"urlfilter.regex.file": str(tmp_path / "rules.txt")})
    refuse_foreign_rules(config, tmp_path / "crawl.toml")
    with pytest.raises(ConfigError):
        refuse_foreign_rules(config, tmp_path / "deeper" / "crawl.toml")
