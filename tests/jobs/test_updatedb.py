"""updatedb against Nutch's facts and its own rules."""

import itertools
import json
import random
from collections import defaultdict
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from crawl_ops.errors import NotFoundError, StoreError
from crawl_ops.model import DbStatus, FetchStatus

FACTS = [
    json.loads(line)
    for line in (Path(__file__).parent / "data" / "updatedb.jsonl").read_text("utf-8").splitlines()
]
NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
SEED, OTHER = "https://a.test/", "https://b.test/page"
ONE, TWO = b"1" * 16, b"2" * 16


def facts(what):
    return [fact for fact in FACTS if fact["what"] == what]


def at(ms):
    return datetime.fromtimestamp(ms / 1000, UTC) if ms else None


# Nutch's facts


@pytest.mark.parametrize("schedule", ["DefaultFetchSchedule", "AdaptiveFetchSchedule"])
def test_every_transition_that_nutch_tests(given, schedule):
    found = [fact for fact in facts("transition") if fact["schedule"] == schedule]
    assert len(found) > 200
    known, fetched, links = [], [], []
    for number, fact in enumerate(found):
        url = f"https://case{number}.test/"
        if fact["known_as"]:
            known.append({"url": url, "status": fact["known_as"], "retries": fact["retries"]})
        if fact["fetched_as"]:
            fetched.append(given.fetched(url, fact["fetched_as"], retries=fact["retries"]))
        links += [given.link(f"https://from{n}.test/", url) for n in range(fact["links"])]
    assert {fact["retry_max"] for fact in found} == {3}
    given.known(known)
    given.segment(fetched=fetched, links=links)
    given.update(**{"db.fetch.schedule.class": schedule})
    becomes = {row["url"]: row["status"] for row in given.rows()}
    wrong = [
        (fact, becomes.get(f"https://case{number}.test/"))
        for number, fact in enumerate(found)
        if becomes.get(f"https://case{number}.test/") != fact["becomes"]
    ]
    assert wrong == []


@pytest.mark.parametrize("fact", facts("record"), ids=lambda fact: fact["note"][:60])
def test_every_record_worked_out_from_nutch(given, fact):
    def columns(record):
        return {
            "fetch_time": at(record["fetch_time"]),
            "interval_s": record["interval"],
            "retries": record["retries"],
            "score": record["score"],
            "signature": bytes.fromhex(record["signature"]) if record["signature"] else None,
            "modified_time": at(record["modified_time"]),
            "metadata": json.dumps(record["metadata"]),
        }

    old, fetch = fact["old"], fact["fetch"]
    given.known([{"url": SEED, "status": old["status"], **columns(old)}] if old else [])
    given.segment(
        fetched=[given.fetched(SEED, fetch["status"], **columns(fetch))] if fetch else [],
        parsed=[given.parsed(SEED, bytes.fromhex(fact["signature"]))] if fact["signature"] else [],
        links=[
            given.link(f"https://from{number}.test/", SEED, score=score)
            for number, score in enumerate(fact["links"])
        ],
    )
    given.update(additions_allowed=fact["additions"])
    rows = given.rows()
    if fact["becomes"] is None:
        assert rows == []
        return
    row = rows[0]
    becomes = {
        "status": row["status"],
        "fetch_time": round(row["fetch_time"].timestamp() * 1000),
        "modified_time": round(row["modified_time"].timestamp() * 1000)
        if row["modified_time"]
        else 0,
        "interval": row["interval_s"],
        "retries": row["retries"],
        "score": row["score"],
        "signature": row["signature"].hex() if row["signature"] else None,
        "metadata": json.loads(row["metadata"] or "{}"),
    }
    assert {name: becomes[name] for name in fact["becomes"]} == fact["becomes"]


@pytest.mark.parametrize("fact", facts("score"))
def test_a_score_grows_by_the_shares_of_links(given, fact):
    given.known([{"url": SEED, "score": fact["old"]}])
    given.segment(
        links=[given.link(f"https://{n}.test/", SEED, score=s) for n, s in enumerate(fact["links"])]
    )
    given.update()
    assert given.row(SEED)["score"] == fact["becomes"]


@pytest.mark.parametrize("fact", facts("purge"))
def test_gone_urls_are_purged(given, fact):
    given.known([{"url": url + "/", "status": status} for url, status in fact["known"].items()])
    given.segment()
    report = given.update(**{"db.update.purge.404": True})
    assert len(given.rows()) == fact["left"]
    assert report.counts["purged"] == 1


# The whole matrix

AFTER = {
    "fetch_success": "db_fetched",
    "fetch_notmodified": "db_notmodified",
    "fetch_redir_temp": "db_redir_temp",
    "fetch_redir_perm": "db_redir_perm",
    "fetch_gone": "db_gone",
    "parse_failed": "db_parse_failed",
    "fetch_retry": None,
}
RETRIES = (0, 1, 2, 3)


@pytest.mark.parametrize("links", [0, 1, 2])
@pytest.mark.parametrize("schedule", ["DefaultFetchSchedule", "AdaptiveFetchSchedule"])
def test_the_whole_status_matrix(given, schedule, links):
    cells = list(itertools.product((None, *DbStatus), (None, *FetchStatus), RETRIES))
    urls = {cell: f"https://cell{number}.test/" for number, cell in enumerate(cells)}
    given.known(
        [{"url": urls[c], "status": c[0], "retries": c[2], "score": 1.0} for c in cells if c[0]]
    )
    given.segment(
        fetched=[given.fetched(urls[c], c[1], retries=c[2]) for c in cells if c[1]],
        links=[
            given.link(f"https://from{n}.test/", urls[c], score=0.5)
            for c in cells
            for n in range(links)
        ],
    )
    given.update(**{"db.fetch.schedule.class": schedule})
    rows = {row["url"]: row for row in given.rows()}
    for cell in cells:
        known_as, fetched_as, retries = cell
        row = rows.get(urls[cell])
        if known_as is None and fetched_as is None and not links:
            assert row is None
            continue
        if fetched_as is None:
            expected = known_as or "db_unfetched"
        elif fetched_as == "fetch_retry":
            expected = "db_unfetched" if retries + 1 < 3 else "db_gone"
        else:
            expected = AFTER[fetched_as]
        assert (cell, row["status"]) == (cell, expected)
        own = 1.0 if known_as or fetched_as else 0.0
        assert (cell, row["score"]) == (cell, own + links * 0.5)
        assert (cell, row["retries"]) == (cell, retries_after(cell))


def retries_after(cell):
    known_as, fetched_as, retries = cell
    if fetched_as is None:
        return retries if known_as else 0
    if fetched_as == "fetch_retry":
        return retries + 1
    return retries if fetched_as in ("fetch_gone", "parse_failed") else 0


# What is ours


def test_columns_come_from_the_fetch(given):
    given.known([{"url": SEED, "etag": '"old"', "content_type": "text/plain"}])
    answer = {
        "http_status": 200,
        "etag": '"new"',
        "last_modified": "Sun",
        "content_type": "text/html",
    }
    given.segment(
        "20260301000000", fetched=[given.fetched(SEED, **answer)], parsed=[given.parsed(SEED, ONE)]
    )
    given.update()
    row = given.row(SEED)
    assert {name: row[name] for name in answer} == answer
    assert row["protocol_status"] == "success"
    assert row["fetched_time"] == NOW
    assert row["fetch_time"] == NOW + timedelta(days=30)
    assert (row["signature"], row["segment"], row["reason"]) == (ONE, "20260301000000", None)


def test_a_304_keeps_what_the_answer_did_not_say(given):
    before = {
        "etag": '"old"',
        "last_modified": "Sat",
        "content_type": "text/html",
        "signature": ONE,
    }
    given.known(
        [{"url": SEED, "status": "db_fetched", "modified_time": NOW - timedelta(days=9), **before}]
    )
    given.segment(
        fetched=[given.fetched(SEED, "fetch_notmodified", http_status=304, last_modified="Sun")]
    )
    given.update()
    row = given.row(SEED)
    assert (row["status"], row["http_status"]) == ("db_notmodified", 304)
    assert (row["etag"], row["last_modified"], row["signature"]) == ('"old"', "Sun", ONE)
    assert (row["content_type"], row["modified_time"]) == ("text/html", NOW - timedelta(days=9))


@pytest.mark.parametrize(
    ("status", "kept"),
    [
        ("fetch_retry", '"old"'),
        ("fetch_gone", None),
        ("fetch_redir_perm", None),
        ("parse_failed", None),
    ],
)
def test_an_etag_is_kept_only_while_its_content_counts(given, status, kept):
    given.known([{"url": SEED, "status": "db_fetched", "etag": '"old"', "signature": ONE}])
    given.segment(fetched=[given.fetched(SEED, status)])
    given.update()
    assert given.row(SEED)["etag"] == kept


@pytest.mark.parametrize(
    ("status", "changes", "reason"),
    [
        ("fetch_retry", {"reason": "timeout"}, "timeout"),
        ("fetch_retry", {"reason": "timeout", "retries": 2}, "gone after 3 failed tries: timeout"),
        ("fetch_retry", {"retries": 2}, "gone after 3 failed tries"),
        ("fetch_gone", {"reason": "404"}, "404"),
        ("fetch_redir_temp", {"redirect_url": OTHER, "reason": "302"}, f"redirects to {OTHER}"),
    ],
)
def test_a_status_has_a_reason(given, status, changes, reason):
    given.known([{"url": SEED}])
    given.segment(fetched=[given.fetched(SEED, status, **changes)])
    given.update()
    assert given.row(SEED)["reason"] == reason


@pytest.mark.parametrize(("delete", "status"), [(True, "db_parse_failed"), (False, "db_fetched")])
def test_a_failed_parse(given, delete, status):
    given.known([{"url": SEED, "signature": TWO, "status": "db_fetched"}])
    failed = given.parsed(SEED, ONE, parse_status="failed_invalid_format", reason="no tree")
    given.segment(fetched=[given.fetched(SEED)], parsed=[failed])
    given.update(**{"parser.delete.failed.parse": delete})
    row = given.row(SEED)
    assert (row["status"], row["reason"]) == (status, "parse failed: no tree")
    assert row["signature"] == (TWO if delete else ONE)


def test_a_page_that_no_parser_took_is_fetched(given):
    given.known([{"url": SEED}])
    given.segment(
        fetched=[given.fetched(SEED)], parsed=[given.parsed(SEED, parse_status="notparsed")]
    )
    given.update(**{"parser.delete.failed.parse": True})
    assert given.row(SEED)["status"] == "db_fetched"


def test_a_newer_fact_never_gives_way_to_an_older_one(given):
    given.known([{"url": SEED, "status": "db_fetched", "fetched_time": NOW, "score": 1.0}])
    given.segment(fetched=[given.fetched(SEED, "fetch_gone")], links=[given.link(OTHER, SEED)])
    report = given.update()
    assert (given.row(SEED)["status"], given.row(SEED)["score"]) == ("db_fetched", 1.25)
    assert report.counts == {"older_fetch_ignored": 1}


def test_a_fact_of_a_clock_that_was_ahead_gives_way(given):
    """It would be asked for again and again, and each answer be ignored, until that day."""
    ahead = NOW + timedelta(days=1461)
    late = NOW + timedelta(hours=1)  # another machine's clock may be so far off
    given.known(
        [
            {"url": SEED, "status": "db_fetched", "fetched_time": ahead, "fetch_time": ahead},
            {"url": OTHER, "status": "db_fetched", "fetched_time": late, "fetch_time": late},
        ]
    )
    given.segment(fetched=[given.fetched(url, "fetch_gone") for url in (SEED, OTHER)])
    assert given.update().counts == {"db_gone": 1, "older_fetch_ignored": 1}
    row = given.row(SEED)
    assert row["status"] == "db_gone"
    assert NOW - timedelta(days=1) < row["fetched_time"] <= NOW


def test_a_linked_page_is_untouched_but_for_score_and_depth(given):
    given.known(
        [
            {
                "url": SEED,
                "status": "db_gone",
                "depth": 5,
                "max_depth": 9,
                "reason": "404",
                "retries": 1,
            }
        ]
    )
    before = given.row(SEED)
    given.segment(
        links=[
            given.link(OTHER, SEED, depth=3, max_depth=7),
            given.link("https://c.test/", SEED, depth=4, max_depth=8, metadata='{"x":"y"}'),
        ]
    )
    given.update()
    assert given.row(SEED) == before | {"score": 1.5, "depth": 3, "max_depth": 7}


def test_a_new_url_takes_the_best_of_its_links(given):
    given.known([])
    given.segment(
        links=[
            given.link(SEED, OTHER, score=0.5, depth=4, max_depth=6, metadata='{"from":"a"}'),
            given.link("https://c.test/", OTHER, score=0.75, depth=3, metadata='{"from":"c"}'),
            given.link("https://d.test/", OTHER, score=2.0, depth=3, max_depth=5),
        ]
    )
    report = given.update()
    row = given.row(OTHER)
    assert (row["status"], row["fetch_time"], row["interval_s"]) == ("db_unfetched", NOW, 2_592_000)
    assert (row["score"], row["depth"], row["max_depth"]) == (3.25, 3, 5)
    assert (row["metadata"], row["reason"], row["segment"]) == (
        '{"from":"c"}',
        "found by link",
        None,
    )
    assert (row["retries"], row["signature"], row["fetched_time"]) == (0, None, None)
    assert report.counts == {"added": 1}


def test_kinds_of_links(given):
    given.known([{"url": "https://known.test/"}])
    named = {"interval_s": 86_400, "modified_time": NOW - timedelta(days=2), "score": 0.5}
    links = [
        ("https://redirect.test/", {"kind": "redirect", "score": 0.0, "metadata": '{"a":"1"}'}),
        ("https://canonical.test/", {"kind": "canonical", "score": 5.0}),
        ("https://sitemap.test/", {"kind": "sitemap", **named}),
        ("https://both.test/", {"kind": "sitemap", **named}),
        ("https://both.test/", {"kind": "link", "score": 0.25}),
        (
            "https://future.test/",
            {"kind": "sitemap", **named, "modified_time": NOW + timedelta(days=1)},
        ),
        ("https://known.test/", {"kind": "sitemap", **named}),
        ("https://known.test/", {"kind": "canonical", "score": 5.0}),
    ]
    given.segment(links=[given.link(SEED, url, **changes) for url, changes in links])
    given.update()
    rows = {row["url"].partition("//")[2].partition(".")[0]: row for row in given.rows()}
    assert {name: row["score"] for name, row in rows.items()} == {
        "redirect": 0.0,
        "canonical": 0.0,
        "sitemap": 0.5,
        "both": 0.75,
        "future": 0.5,
        "known": 1.0,
    }
    assert rows["redirect"]["metadata"] == '{"a":"1"}'
    for name in ("sitemap", "both"):
        assert (rows[name]["interval_s"], rows[name]["modified_time"]) == (
            86_400,
            named["modified_time"],
        )
    assert rows["future"]["modified_time"] is None
    assert (rows["known"]["interval_s"], rows["canonical"]["interval_s"]) == (2_592_000, 2_592_000)
    assert rows["both"]["reason"] == "found by link"


def test_the_best_links_count_when_there_are_too_many(given):
    given.known([{"url": SEED, "score": 0.0}])
    scores = [1.0, 8.0, 2.0, 4.0]
    given.segment(
        links=[given.link(f"https://{n}.test/", SEED, score=s) for n, s in enumerate(scores)]
    )
    given.update(**{"db.update.max.inlinks": 2})
    assert given.row(SEED)["score"] == 12.0


def test_additions_can_be_forbidden(given):
    given.known([{"url": SEED, "score": 1.0}])
    given.segment(
        fetched=[given.fetched(SEED), given.fetched("https://via.test/", via=SEED, score=0.0)],
        links=[given.link(SEED, OTHER), given.link(OTHER, SEED)],
    )
    report = given.update(**{"db.update.additions.allowed": False})
    assert [(row["url"], row["score"]) for row in given.rows()] == [(SEED, 1.25)]
    assert report.counts == {"db_fetched": 1, "not_added": 1}


def test_a_redirect_target_that_was_fetched_at_once_keeps_its_past(given):
    given.known(
        [
            {
                "url": OTHER,
                "interval_s": 600,
                "retries": 2,
                "signature": ONE,
                "score": 3.0,
                "status": "db_fetched",
            }
        ]
    )
    given.segment(fetched=[given.fetched(OTHER, "fetch_retry", via=SEED, score=0.0, reason="503")])
    given.update()
    row = given.row(OTHER)
    assert (row["status"], row["retries"], row["score"]) == ("db_gone", 3, 3.0)
    assert (row["interval_s"], row["signature"]) == (900, ONE)


def test_parse_metadata_goes_into_the_crawldb(given):
    given.known([{"url": SEED, "metadata": '{"a":"old","k":1}'}])
    metadata = json.dumps({"a": "new", 'we"ird': "x", "b": "2"})
    given.segment(
        fetched=[given.fetched(SEED, metadata='{"f":"3"}')],
        parsed=[given.parsed(SEED, ONE, metadata=metadata)],
    )
    given.update(**{"db.parsemeta.to.crawldb": 'a we"ird missing'})
    assert json.loads(given.row(SEED)["metadata"]) == {"a": "new", "k": 1, "f": "3", 'we"ird': "x"}


def test_scores_stay_finite(given):
    given.known([{"url": SEED, "score": float("inf")}, {"url": OTHER, "score": 9e29}])
    links = [
        given.link(f"https://{n}.test/", OTHER, score=s)
        for n, s in enumerate([9e29, float("nan"), float("inf")])
    ]
    given.segment(links=[*links, given.link(OTHER, SEED)])
    given.update()
    assert [row["score"] == pytest.approx(1e30) for row in given.rows()] == [True, True]


def test_without_opic_links_leave_scores_alone(given):
    given.known([{"url": SEED, "score": 1.0, "depth": 4}])
    given.segment(links=[given.link(OTHER, SEED, depth=2), given.link(SEED, OTHER, depth=2)])
    given.update(**{"scoring.filter.order": "depth"})
    assert [(r["score"], r["depth"]) for r in given.rows()] == [(1.0, 2), (0.0, 2)]


# Segments


def test_an_unfinished_fetch_or_parse_is_refused(given):
    given.known([{"url": SEED}])
    rows = [given.fetched(SEED), given.fetched(OTHER, list=1)]
    content = {"base_url": SEED, "content": b"x", "fetch_time": NOW, "score": 1.0, "attempt": "a"}
    name = given.segment(
        fetched=rows, lists=2, finished=False, content=[{**given.identity(SEED), **content}]
    )
    segment = given.crawl.segment(name)
    segment.finish("fetch", 0, {})
    with pytest.raises(StoreError, match="list 1 is not fetched"):
        given.update()
    segment.finish("fetch", 1, {})
    with pytest.raises(StoreError, match="list 0 is not parsed"):
        given.update()
    segment.finish("parse", 0, {})  # list 1 has no content: there is nothing to parse
    assert given.update().counts == {"db_fetched": 2, "added": 1}


def test_a_missing_segment_is_not_found(given):
    given.known([{"url": SEED}])
    with pytest.raises(NotFoundError):
        given.update("20200101000000")


def test_the_same_segment_twice_changes_nothing(given):
    given.known([{"url": SEED}])
    given.segment(fetched=[given.fetched(SEED)], links=[given.link(SEED, OTHER)])
    first = given.update()
    before = (given.crawl.table("crawldb").versions(), given.crawl.table("hostdb").versions())
    again = given.update()
    assert again.details["already_done"]
    assert (again.counts, again.segment) == (first.counts, first.segment)
    assert before == (
        given.crawl.table("crawldb").versions(),
        given.crawl.table("hostdb").versions(),
    )


def test_several_segments_are_folded_in_the_order_of_their_names(given, another_crawl):
    one_by_one = another_crawl("one_by_one")
    for crawl in (given, one_by_one):
        crawl.known([{"url": SEED}])
        crawl.segment(
            "20260301000001",
            fetched=[crawl.fetched(SEED, "fetch_gone")],
            links=[crawl.link(SEED, OTHER)],
        )
        later = crawl.fetched(SEED, fetch_time=NOW + timedelta(hours=1))
        crawl.segment("20260301000002", fetched=[later], links=[crawl.link(SEED, OTHER)])
    report = given.update("20260301000002", "20260301000001")
    one_by_one.update("20260301000001")
    one_by_one.update("20260301000002")
    assert report.counts == {"db_gone": 1, "db_fetched": 1, "added": 1}
    assert report.details["segments"] == ["20260301000001", "20260301000002"]
    assert given.rows() == one_by_one.rows()
    assert given.rows("hostdb") == one_by_one.rows("hostdb")
    assert given.row(SEED)["status"] == "db_fetched"


def test_only_touched_buckets_are_written(given):
    urls = [f"https://site{number}.test/" for number in range(40)]
    given.known([{"url": url} for url in urls], bits=3)
    before = given.crawl.table("crawldb").current().files
    given.segment(fetched=[given.fetched(urls[0])], links=[given.link(urls[0], urls[1])])
    given.update()
    after = given.crawl.table("crawldb").current().files
    touched = {given.identity(url)["slot"] >> 13 for url in urls[:2]}
    assert {entry.lo >> 13 for entry in set(before) - set(after)} == touched
    assert len(given.rows()) == 40
    assert given.row(urls[1])["score"] == 1.25


def test_buckets_give_the_same_rows_as_one(given, another_crawl):
    split = another_crawl("split")
    urls = [f"https://site{number}.test/" for number in range(60)]
    for crawl, bits in ((given, 0), (split, 4)):
        crawl.known([{"url": url} for url in urls[:40]], bits=bits)
        crawl.segment(
            fetched=[
                crawl.fetched(url, list(FetchStatus)[n % 7]) for n, url in enumerate(urls[:30])
            ],
            links=[crawl.link(a, b) for a, b in itertools.product(urls[:5], urls[20:])],
        )
        crawl.update(**{"db.update.purge.404": True})
    key = lambda row: row["url"]  # noqa: E731
    assert sorted(given.rows(), key=key) == sorted(split.rows(), key=key)
    assert given.rows("hostdb") == split.rows("hostdb")


def test_a_bucket_that_has_grown_too_large_is_split(given):
    urls = [f"https://site{number}.test/" for number in range(2500)]
    given.known([{"url": url} for url in urls])
    given.segment(fetched=[given.fetched(urls[0])], links=[given.link(urls[0], SEED)])
    given.update(**{"db.bucket.rows": 1000})
    files = given.crawl.table("crawldb").current().files
    assert len(files) == 4
    assert sorted(row["url"] for row in given.rows()) == sorted([*urls, SEED])


def test_threads_make_no_difference(given, another_crawl):
    dice = random.Random(1)
    other = another_crawl("other")
    links = [
        (
            f"https://s{dice.randrange(50)}.test/",
            f"https://t{dice.randrange(300)}.test/",
            dice.random() ** 9,
        )
        for _ in range(20_000)
    ]
    written = []
    for crawl, threads in ((given, 1), (other, 4)):
        crawl.known([{"url": f"https://t{n}.test/"} for n in range(100)])
        crawl.segment(links=[crawl.link(a, b, score=score) for a, b, score in links])
        crawl.update(**{"duckdb.threads": threads, "db.update.max.inlinks": 60})
        files = crawl.crawl.table("crawldb").current().files
        written.append([crawl.crawl.files.read(entry.path) for entry in files])
    assert written[0] == written[1]


def test_strange_metadata_survives(given):
    strange = {"nul": "a\0b", "quote": "\"'", "deep": {"x": [1, None]}, "": "empty", "é": "ü"}
    given.known([{"url": SEED, "metadata": json.dumps(strange)}])
    given.segment(
        fetched=[given.fetched(SEED, metadata='{"fixedInterval": "no number"}')],
        parsed=[given.parsed(SEED, ONE, metadata=json.dumps(strange | {"é": "new"}))],
    )
    given.update(**{"db.parsemeta.to.crawldb": "nul é"})
    wanted = strange | {"é": "new", "fixedInterval": "no number"}
    assert json.loads(given.row(SEED)["metadata"]) == wanted


def test_rows_are_sorted_by_host_and_url(given):
    given.known([{"url": f"https://h{n}.test/{m}"} for n in range(3) for m in range(3)])
    given.segment(
        links=[given.link(SEED, f"https://h{n}.test/{m}a") for n in range(4) for m in range(3)]
    )
    given.update()
    rows = [(row["host"], row["url"]) for row in given.rows()]
    assert rows == sorted(rows)


# The hostdb


def test_hosts_are_counted_anew(given):
    given.known(
        [
            {"url": "https://a.test/1", "status": "db_duplicate"},
            {"url": "https://a.test/2", "status": "db_orphan"},
        ]
    )
    statuses = list(FetchStatus)
    given.segment(
        fetched=[
            given.fetched(f"https://a.test/f{n}", status, response_ms=100 + n, reason=f"r{n}")
            for n, status in enumerate(statuses)
        ],
        links=[given.link("https://a.test/f0", "https://new.test/")],
    )
    given.update()
    host = given.hosts()["a.test"]
    counts = {
        "unfetched": 1,
        "fetched": 1,
        "notmodified": 1,
        "redir_temp": 1,
        "redir_perm": 1,
        "gone": 1,
        "duplicate": 1,
        "orphan": 1,
        "parse_failed": 1,
        "failing": 1,
    }
    assert {name: host[name] for name in counts} == counts
    assert (host["domain"], host["slot"]) == ("a.test", given.identity("https://a.test/")["slot"])
    assert (host["last_good_time"], host["last_fetch_time"], host["response_ms"]) == (NOW, NOW, 103)
    assert host["last_reason"] == "r1"
    new = given.hosts()["new.test"]
    assert (new["unfetched"], new["last_fetch_time"], new["failed_fetches"]) == (1, None, 0)


def test_failures_count_since_the_last_good_fetch(given):
    given.known([{"url": SEED}])
    story = defaultdict(int)
    for number, status in enumerate(
        ["fetch_retry", "fetch_retry", "fetch_success", "fetch_retry", "fetch_gone"]
    ):
        time = NOW + timedelta(hours=number)
        name = given.segment(
            f"2026030100000{number}", fetched=[given.fetched(SEED, status, fetch_time=time)]
        )
        given.update(name)
        story[number] = given.hosts()["a.test"]["failed_fetches"]
    assert list(story.values()) == [1, 2, 0, 1, 1]
    host = given.hosts()["a.test"]
    assert host["last_good_time"] == NOW + timedelta(hours=2)
    assert host["last_fetch_time"] == NOW + timedelta(hours=4)


def test_the_last_good_robots_copy_is_kept(given):
    given.known([{"url": SEED}])

    def answer(hours, outcome, **changes):
        identity = given.identity(SEED)
        return {
            "origin": "https://a.test:443",
            "host": "a.test",
            "slot": identity["slot"],
            "attempt": "a",
            "fetch_time": NOW + timedelta(hours=hours),
            "outcome": outcome,
            **changes,
        }

    good = answer(0, "rules", content=b"User-agent: *", crawl_delay_s=2.0, http_status=200)
    given.segment("20260301000000", fetched=[given.fetched(SEED)], robots=[good])
    given.update()
    deferred = answer(2, "deferred", reason="robots.txt: 503", http_status=503)
    given.segment(
        "20260301000001",
        links=[given.link(SEED, OTHER), given.link(OTHER, SEED)],
        robots=[deferred],
    )
    given.update()
    host = given.hosts()["a.test"]
    assert (host["robots_content"], host["robots_outcome"], host["crawl_delay_s"]) == (
        b"User-agent: *",
        "rules",
        2.0,
    )
    assert (host["robots_time"], host["robots_origin"]) == (NOW, "https://a.test:443")
    assert (host["failed_fetches"], host["last_reason"]) == (1, "robots.txt: 503")
    given.segment(
        "20260301000002", links=[given.link(OTHER, SEED)], robots=[answer(3, "allow_all")]
    )
    given.update()
    host = given.hosts()["a.test"]
    assert (host["robots_content"], host["robots_outcome"], host["crawl_delay_s"]) == (
        None,
        "allow_all",
        None,
    )


def test_only_the_missing_commit_is_made(given):
    given.known([{"url": SEED}])
    given.segment(fetched=[given.fetched(SEED)], links=[given.link(SEED, OTHER)])
    first = given.update()
    hosts = given.rows("hostdb")
    manifests = given.crawl.root / "hostdb" / "manifests"
    (manifests / "00000001.json").unlink()
    again = given.update()
    assert (again.counts, again.details["already_done"]) == (first.counts, True)
    assert given.crawl.table("crawldb").versions() == [1, 2]
    assert given.rows("hostdb") == hosts
