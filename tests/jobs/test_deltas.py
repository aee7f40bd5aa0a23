"""A table is the same whether small rounds are laid over its files or written into them."""

import errno
import json
from datetime import timedelta

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import given as for_all
from hypothesis import strategies as st

from crawl_ops.errors import StoreError
from crawl_ops.jobs.inject import inject
from crawl_ops.jobs.readdb import dump, record, stats
from crawl_ops.storage import rewrite
from crawl_ops.storage.table import Commit

URLS = [f"https://h{number % 4}.site{number % 3}.test/{number}" for number in range(24)]
STATUSES = st.sampled_from(["fetch_success", "fetch_gone", "fetch_retry", "fetch_redir_temp"])
SHARES = st.floats(0, 4, width=32)
LINKS = st.lists(st.tuples(st.integers(0, 23), st.integers(0, 23), SHARES), max_size=14)
FETCHES = st.dictionaries(st.integers(0, 23), STATUSES, max_size=6)
ROUNDS = st.lists(st.tuples(FETCHES, LINKS), min_size=1, max_size=5)
OVER = {"db.deltas.rows": 0, "db.deltas.max": 3}
LONG = {"db.deltas.rows": 0, "db.deltas.max": 100}
ANEW = {"db.deltas.max": 0}


def order(row):
    return row["host"], row.get("url", "")


def play(crawl, rounds, bits, conf):
    """Fold rounds; between them a seed comes in. Returns the tables after each."""
    crawl.known([{"url": url} for url in URLS[:12]], bits=bits)
    states = []
    for number, (fetches, links) in enumerate(rounds):
        time = crawl.now + timedelta(days=number)
        name = crawl.segment(
            f"2026030100000{number}",
            fetched=[crawl.fetched(URLS[n], s, fetch_time=time) for n, s in fetches.items()],
            links=[crawl.link(URLS[a], URLS[b], score=s, depth=a) for a, b, s in links],
        )
        report = crawl.update(name, **conf)
        if number == 1:
            seeds = [f"{URLS[20]}\tnutch.score=9", "https://new.test/"]
            inject(crawl.crawl, crawl.config(**conf), seeds, crawl.now, update=True)
        tables = [sorted(crawl.rows(table), key=order) for table in ("crawldb", "hostdb")]
        states.append((report.counts, report.details["urls"], *tables))
    return states


@settings(
    max_examples=5, deadline=None, suppress_health_check=list(HealthCheck), phases=[Phase.generate]
)
@for_all(rounds=ROUNDS, bits=st.sampled_from([0, 2]))
def test_laid_over_written_apart_or_anew_a_table_is_the_same(crawls, rounds, bits):
    results = []
    for share, apart, conf in ((4, 10**5, ANEW), (4, 0, ANEW), (0, 0, OVER)):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(rewrite, "SHARE", share)
            patch.setattr(rewrite, "APART_ROWS", apart)
            crawl = crawls()
            states = play(crawl, rounds, bits, conf)
            config = crawl.config()
            shown = sorted(dump(crawl.crawl, config), key=lambda row: row["url"])
            for row in shown[::5]:
                assert record(crawl.crawl, config, row["url"]) == row
            view = list(crawl.crawl.query(config, "SELECT url, score FROM crawldb ORDER BY url"))
            results.append((states, shown, stats(crawl.crawl, config), view))
    assert results[0] == results[1]
    assert results[0] == results[2]


@pytest.fixture
def laid(given, monkeypatch):
    """A crawl over whose tables everything is laid."""
    monkeypatch.setattr(rewrite, "SHARE", 0)
    given.known([{"url": url} for url in URLS[:12]])
    return given


def kinds(given):
    return [entry.kind for entry in given.crawl.table("crawldb").current().files]


def rounds_of(given, number):
    for n in range(number):
        link = given.link(URLS[0], URLS[9])
        yield given.segment(f"2026030100000{n}", [given.fetched(URLS[n])], links=[link])


def test_a_small_round_adds_files_and_leaves_those_there_are(laid):
    before = laid.crawl.table("crawldb").current().files
    for name in rounds_of(laid, 2):
        laid.update(name, **OVER)
    assert sorted(kinds(laid)) == ["base", "changed", "changed", "moved", "moved"]
    assert before[0] in laid.crawl.table("crawldb").current().files
    assert laid.row(URLS[9])["score"] == 1.5
    assert laid.crawl.table("crawldb").current().rows == 12


def test_after_so_many_rounds_the_table_is_written_anew(laid):
    seen = []
    for name in rounds_of(laid, 5):
        laid.update(name, **OVER)
        seen.append(len(kinds(laid)))
    assert seen == [3, 5, 7, 1, 3]


def test_a_round_that_is_not_small_is_written_into_the_table(laid, monkeypatch):
    monkeypatch.setattr(rewrite, "SHARE", 4)
    for name in rounds_of(laid, 3):
        laid.update(name, **OVER, **{"db.bucket.rows": 1000})
    assert kinds(laid) == ["base", "changed", "moved"]


def of_depth(given, name, depth, run="run"):
    """Let a segment be of a run and depth."""
    segment = given.crawl.segment(name)
    info = segment.info() | {"run_id": run, "depth": depth}
    given.crawl.files.put(f"{segment.folder}/segment.json", json.dumps(info).encode())
    return name


def test_a_depth_done_again_ten_times_leaves_one_round_of_files(laid):
    for n in range(10):
        fetched = [laid.fetched(URLS[n], fetch_time=laid.now + timedelta(hours=n))]
        links = [laid.link(URLS[0], URLS[11]), laid.link(URLS[0], URLS[13 + n])]
        name = laid.segment(f"2026030100000{n}", fetched, links=links)
        laid.update(of_depth(laid, name, 1), **OVER)
        assert sorted(kinds(laid)) == ["base", "changed", "moved", "new"]
    assert sorted(e.kind for e in laid.crawl.table("hostdb").current().files) == ["base", "changed"]
    assert laid.row(URLS[11])["score"] == 1 + 10 * 0.25
    assert laid.crawl.table("crawldb").current().rows == 22
    later = laid.fetched(URLS[1], fetch_time=laid.now + timedelta(days=2))
    laid.update(of_depth(laid, laid.segment("20260303000000", [later]), 2), **OVER)
    assert kinds(laid).count("changed") == 2


@pytest.mark.parametrize("between", ["inject", "a round", "retention"])
def test_what_lies_between_or_is_not_known_keeps_its_own_files(laid, between):
    first, second, third = rounds_of(laid, 3)
    laid.update(of_depth(laid, first, 1), **OVER)
    if between == "inject":
        inject(laid.crawl, laid.config(**OVER), ["https://new.test/"], laid.now)
    elif between == "a round":
        laid.update(of_depth(laid, second, 2), **OVER)
    else:
        laid.crawl.files.remove(f"{laid.crawl.segment(first).folder}/segment.json")
    laid.update(of_depth(laid, third, 1), **OVER)
    assert kinds(laid).count("changed") == (3 if between == "a round" else 2)


def test_a_kill_before_the_commit_leaves_the_files_of_the_round_before(laid, monkeypatch):
    first, second = rounds_of(laid, 2)
    laid.update(of_depth(laid, first, 1), **OVER)
    before = laid.crawl.table("crawldb").current(), laid.rows()
    with monkeypatch.context() as patch:
        patch.setattr(Commit, "publish", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            laid.update(of_depth(laid, second, 1), **OVER)
    assert (laid.crawl.table("crawldb").current(), laid.rows()) == before
    laid.update(second, **OVER)
    assert sorted(kinds(laid)) == ["base", "changed", "moved"]
    assert laid.crawl.table("crawldb").version(2) == before[0]


DEPTHS = st.lists(st.tuples(st.integers(1, 2), FETCHES, LINKS), min_size=2, max_size=6)


@settings(
    max_examples=4, deadline=None, suppress_health_check=list(HealthCheck), phases=[Phase.generate]
)
@for_all(rounds=DEPTHS)
def test_rows_are_the_same_with_files_of_one_depth_united_or_not(crawls, rounds):
    results = []
    for united in (True, False):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(rewrite, "SHARE", 0)
            crawl = crawls()
            crawl.known([{"url": url} for url in URLS[:12]])
            for number, (depth, fetches, links) in enumerate(rounds):
                time = crawl.now + timedelta(days=number)
                name = crawl.segment(
                    f"2026030100000{number}",
                    [crawl.fetched(URLS[n], s, fetch_time=time) for n, s in fetches.items()],
                    links=[crawl.link(URLS[a], URLS[b], score=s, depth=a) for a, b, s in links],
                )
                crawl.update(of_depth(crawl, name, depth if united else number + 1), **LONG)
            tables = [sorted(crawl.rows(table), key=order) for table in ("crawldb", "hostdb")]
            results.append((tables, crawl.crawl.table("crawldb").current().rows))
            versions = {e.version for e in crawl.crawl.table("crawldb").current().files}
            if united and len({depth for depth, *_ in rounds}) == 1:
                assert len(versions) <= 2
    assert results[0] == results[1]


def test_new_urls_stand_in_a_file_of_their_own_until_they_are_many(given, monkeypatch):
    monkeypatch.setattr(rewrite, "APART_ROWS", 0)
    given.known([{"url": url} for url in URLS[:12]])
    seen = []
    for n in range(4):
        links = [given.link(URLS[0], URLS[12 + n])]
        given.update(given.segment(f"2026030100000{n}", links=links), **ANEW)
        seen.append(kinds(given))
    assert seen == [["base", "new"]] * 3 + [["base"]]


def test_a_disk_that_is_full_while_a_file_is_changed_in_place(given, monkeypatch):
    monkeypatch.setattr(rewrite, "APART_ROWS", 0)
    urls = [f"https://h.test/{number}" for number in range(8)]
    given.known([{"url": url} for url in urls])
    name = given.segment("20260301000001", [given.fetched(url) for url in urls[:3]])
    before, files = given.rows(), sorted(given.crawl.files.walk("crawldb/base"))

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("crawl_ops.storage.patching.graft", full)
        with pytest.raises(StoreError, match=r"crawldb/base/.*\.parquet: the disk is full"):
            given.update(name, **ANEW)
    assert given.rows() == before
    assert sorted(given.crawl.files.walk("crawldb/base")) == files
    assert list(given.crawl.files.walk("scratch/aside")) == []
    assert given.update(name, **ANEW).counts["db_fetched"] == 3
