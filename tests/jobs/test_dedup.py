"""dedup: which page of a group stays, and that the index follows (Nutch rules 15)."""

import json
import random
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from crawl_ops.errors import ConfigError
from crawl_ops.index.document import Document
from crawl_ops.index.search import indexed_ids
from crawl_ops.index.writers import IndexWriters
from crawl_ops.jobs.dedup import dedup

FACTS = [
    json.loads(line)
    for line in (Path(__file__).parent / "data" / "dedup.jsonl").read_text("utf-8").splitlines()
]
SAME = b"s" * 16
ALL = ("score", "fetchTime", "urlLength")
SEGMENT = "20260301000000"


def facts(what):
    return [fact for fact in FACTS if fact["what"] == what]


def run(given, order=None, **conf):
    if order:
        conf["deduplication.compare.order"] = order
    return dedup(given.crawl, given.config(**conf), given.now)


def page(url, signature=SAME, **changes):
    return {"url": url, "status": "db_fetched", "signature": signature, **changes}


def duplicates(given):
    return {row["url"] for row in given.rows() if row["status"] == "db_duplicate"}


def put_in_index(given, urls):
    with IndexWriters(given.config(), given.crawl.index_location) as writers:
        for url in urls:
            writers.write(Document(url))
        writers.commit()


def indexed(given):
    return set(indexed_ids(given.crawl.index_location))


# Nutch's facts


@pytest.mark.parametrize("fact", facts("job"), ids=lambda fact: fact["note"])
def test_which_page_stays(given, fact):
    given.known(
        [
            page(
                row["url"],
                score=row["score"],
                fetch_time=datetime.fromtimestamp(row["fetch_time"] / 1000, UTC),
            )
            for row in fact["rows"]
        ]
    )
    report = run(given, fact["order"])
    assert duplicates(given) == set(fact["duplicates"])
    assert report.counts["db_duplicate"] == 1


@pytest.mark.parametrize("fact", facts("choose"), ids=lambda fact: fact["note"])
def test_the_url_decides_where_the_rest_is_equal(given, fact):
    given.known([page(url) for url in fact["urls"]])
    rest = [criterion for criterion in ALL if criterion not in fact["order"]]
    run(given, ",".join([fact["order"], *rest]))
    assert duplicates(given) == {fact["duplicate"]}


def test_ten_runs_with_shuffled_rows_and_several_threads_keep_the_same_page(another_crawl):
    chosen = random.Random(7)
    rows = [
        page(
            f"http://h{n % 9}.test/{chosen.randrange(10**6)}",
            signature=bytes([n % 50]) * 16,
            score=float(n % 3),
            fetch_time=datetime(2026, 1, 1 + n % 2, tzinfo=UTC),
        )
        for n in range(2000)
    ]
    kept = []
    for number in range(10):
        crawl = another_crawl(f"run-{number}")
        chosen.shuffle(rows)
        crawl.known(rows, bits=number % 4)
        run(crawl, **{"duckdb.threads": 1 + number % 4})
        kept.append({row["url"] for row in crawl.rows() if row["status"] == "db_fetched"})
        assert {row["url"]: row["reason"] for row in crawl.rows() if row["reason"]}.keys() == (
            duplicates(crawl)
        )
    assert len(kept[0]) == 50
    assert all(one == kept[0] for one in kept)


# Groups


@pytest.mark.parametrize("status", ["db_unfetched", "db_gone", "db_redir_temp", "db_duplicate"])
def test_only_pages_that_are_fetched_are_compared(given, status):
    urls = ["http://a.test/", "http://a.test/longer"]
    given.known([{**page(urls[0]), "status": status}, page(urls[1])])
    run(given)
    assert {row["url"]: row["status"] for row in given.rows()} == dict(
        zip(urls, (status, "db_fetched"), strict=True)
    )


def test_unchanged_pages_are_compared_too(given):
    given.known([page("http://a.test/"), {**page("http://b.test/1"), "status": "db_notmodified"}])
    run(given)
    assert duplicates(given) == {"http://b.test/1"}


def test_pages_without_signature_are_no_duplicates(given):
    given.known([page(f"http://a.test/{n}", signature=None) for n in range(3)])
    assert run(given).counts == {"db_duplicate": 0, "deleted": 0}


@pytest.mark.parametrize(
    ("mode", "left"),
    [
        ("none", {"http://a.example.com/1"}),
        ("domain", {"http://a.example.com/1", "http://example.org/123"}),
        ("host", {"http://a.example.com/1", "http://b.example.com/12", "http://example.org/123"}),
    ],
)
def test_groups_of_a_host_or_domain(given, mode, left):
    given.known(
        [
            page("http://a.example.com/1"),
            page("http://a.example.com/1234"),
            page("http://b.example.com/12"),
            page("http://example.org/123"),
        ]
    )
    run(given, **{"deduplication.group.mode": mode})
    assert {row["url"] for row in given.rows()} - duplicates(given) == left


def test_only_status_and_reason_change(given):
    urls = ["http://a.test/", "http://a.test/longer"]
    given.known([page(url, metadata='{"a": 1}', etag="e", score=1.5) for url in urls])
    before = given.row(urls[1])
    run(given)
    reason = f"duplicate of {urls[0]}"
    assert given.row(urls[1]) == {**before, "status": "db_duplicate", "reason": reason}


def test_asked_again_nothing_changes(given):
    given.known([page("http://a.test/"), page("http://a.test/longer")])
    assert run(given).counts["db_duplicate"] == 1
    version = given.crawl.table("crawldb").current().version
    assert run(given).counts["db_duplicate"] == 0
    assert given.crawl.table("crawldb").current().version == version


def test_only_buckets_with_duplicates_are_written(given):
    rows = [page(f"http://h{n}.test/", bytes([max(n, 1)]) * 16) for n in range(60)]
    given.known(rows, bits=4)
    before = {entry.path for entry in given.crawl.table("crawldb").current().files}
    run(given)
    assert duplicates(given) == {"http://h1.test/"}
    after = {entry.path for entry in given.crawl.table("crawldb").current().files}
    assert len(before - after) == len(after - before) == 1


# The order of criteria


@pytest.mark.parametrize(
    ("order", "named"),
    [("score,fetchTime", "urlLength"), ("score,score,fetchTime,urlLength", "score")],
)
def test_an_order_that_cannot_be(given, order, named):
    with pytest.raises(ConfigError, match=rf"deduplication\.compare\.order.*{named}"):
        run(given, order)


def test_https_counts_only_among_pages_that_are_equal_so_far(given):
    given.known(
        [
            page("http://e.test/", score=2.0),
            page("https://e.test/", score=1.0),
            page("http://e.test/longer", score=2.0),
        ]
    )
    run(given, "score,httpsOverHttp,urlLength,fetchTime")
    assert duplicates(given) == {"https://e.test/", "http://e.test/longer"}


def nutch_prefers(one, other, order):
    """Nutch's comparison of two: whether `one` stays; None if it cannot tell."""
    for criterion in order:
        if criterion == "httpsOverHttp":
            a, b = one["url"].partition(":"), other["url"].partition(":")
            if a[2] == b[2] and a[0] != b[0]:
                return a[0] == "https"
            continue
        a, b = one[criterion], other[criterion]
        if a != b:
            return a < b if criterion == "urlLength" else a > b
    return None


def some_groups(chosen, number):
    """Groups of two to seven pages that differ in some criteria and agree in others."""
    names = [
        f"{scheme}://e.test/{name}" for scheme in ("http", "https") for name in ("a", "b", "cc")
    ]
    return [
        [
            {
                "url": url + f"?{group:03}",
                "score": float(chosen.randrange(2)),
                "fetchTime": chosen.randrange(2),
                "urlLength": len(url),
            }
            for url in chosen.sample(names, chosen.randrange(2, 7))
        ]
        for group in range(number)
    ]


@pytest.mark.parametrize("seed", range(6))
def test_no_other_page_of_the_group_is_preferred_by_nutch(given, seed):
    chosen = random.Random(seed)
    order = chosen.sample(("score", "fetchTime", "urlLength", "httpsOverHttp"), 4)
    groups = some_groups(chosen, 400)
    given.known(
        [
            page(
                one["url"],
                f"{number}".encode().ljust(16),
                score=one["score"],
                fetch_time=given.now + timedelta(days=one["fetchTime"]),
            )
            for number, group in enumerate(groups)
            for one in group
        ]
    )
    run(given, ",".join(order))
    lost = duplicates(given)
    for group in groups:
        (kept,) = (one for one in group if one["url"] not in lost)
        # Nutch's comparison can go round in a circle: http: < https: < other < http:. A page that
        # gives way to its https: twin is out of it before the rest is compared.
        rest = [one for one in group if not any(is_twin(o, one, order) for o in group)]
        assert [one["url"] for one in rest if nutch_prefers(one, kept, order)] == [], (order, group)


def is_twin(one, other, order):
    same = one["url"].partition(":")[2] == other["url"].partition(":")[2]
    return same and one["url"].startswith("https:") and nutch_prefers(one, other, order)


# Canonical


def canonical_pages(given, canonical, status="db_fetched", segment=SEGMENT):
    """Pages of one signature; url -> what it names as canonical, in a segment that is folded."""
    given.known([{**page(url), "status": status, "segment": segment} for url in canonical])
    given.segment(
        SEGMENT,
        parsed=[given.parsed(u, SAME, canonical_url=named) for u, named in canonical.items()],
    )


def test_a_page_gives_way_to_the_one_it_names_as_canonical(given):
    urls = ["http://a.test/p", "http://a.test/p?utm=1"]
    given.known([page(urls[0], segment=SEGMENT), page(urls[1], segment=SEGMENT, score=9.0)])
    given.segment(SEGMENT, parsed=[given.parsed(url, SAME, canonical_url=urls[0]) for url in urls])
    run(given)
    assert duplicates(given) == {urls[1]}


@pytest.mark.parametrize(
    ("canonical", "kept"),
    [
        ({"http://a.test/": "http://a.test/longer", "http://a.test/longer": None}, "/longer"),
        ({"http://a.test/": "http://elsewhere.test/", "http://a.test/longer": None}, "/"),
        ({"http://a.test/": "http://a.test/", "http://a.test/longer": None}, "/"),
        ({"http://a.test/": "http://a.test/1", "http://a.test/1": "http://a.test/"}, "/"),
        (
            {
                "http://a.test/": "http://a.test/1",
                "http://a.test/1": "http://a.test/12",
                "http://a.test/12": None,
            },
            "/12",
        ),
        (
            {
                "http://a.test/": "http://a.test/1",
                "http://a.test/1": "http://a.test/",
                "http://a.test/12": None,
            },
            "/12",
        ),
    ],
    ids=["names another", "names none of them", "names itself", "a circle", "a chain", "circle+1"],
)
def test_which_canonical_counts(given, canonical, kept):
    canonical_pages(given, canonical)
    run(given)
    assert set(canonical) - duplicates(given) == {f"http://a.test{kept}"}


@pytest.mark.parametrize("canonical", [None, "http://a.test/"])
def test_what_is_not_to_be_indexed_is_no_candidate(given, canonical):
    urls = ["http://a.test/", "http://a.test/1", "http://a.test/longest"]
    given.known([page(url, segment=SEGMENT) for url in urls])
    parsed = [given.parsed(urls[0], SAME, noindex=True)]
    parsed += [given.parsed(url, SAME, canonical_url=canonical) for url in urls[1:]]
    given.segment(SEGMENT, parsed=parsed)
    run(given)
    assert duplicates(given) == {urls[2]}


def test_a_canonical_page_with_other_content_does_not_count(given):
    urls = ["http://a.test/", "http://a.test/1", "http://a.test/other"]
    given.known(
        [*(page(url, segment=SEGMENT) for url in urls[:2]), page(urls[2], b"o" * 16)],
    )
    given.segment(SEGMENT, parsed=[given.parsed(urls[0], SAME, canonical_url=urls[2])])
    run(given)
    assert duplicates(given) == {urls[1]}


def test_the_canonical_of_an_unchanged_page_is_in_an_older_segment(given):
    canonical = {"http://a.test/": "http://a.test/1", "http://a.test/1": None}
    canonical_pages(given, canonical, "db_notmodified", "20260303000000")
    given.segment("20260303000000")
    given.update()
    run(given)
    assert duplicates(given) == {"http://a.test/"}


def test_what_an_older_segment_says_does_not_count_for_a_page_fetched_anew(given):
    canonical_pages(given, {"http://a.test/": "http://a.test/1", "http://a.test/1": None})
    later = {"fetch_time": given.now + timedelta(hours=1)}
    urls = ["http://a.test/", "http://a.test/1"]
    given.segment(
        "20260302000000",
        fetched=[given.fetched(url, **later) for url in urls],
        parsed=[given.parsed(url, b"t" * 16, **later) for url in urls],
    )
    given.update("20260302000000")
    run(given)
    assert duplicates(given) == {"http://a.test/1"}


def test_without_its_segment_a_page_names_no_canonical(given):
    canonical_pages(given, {"http://a.test/": "http://a.test/1", "http://a.test/1": None})
    shutil.rmtree(given.crawl.root / "segments" / SEGMENT)
    run(given)
    assert duplicates(given) == {"http://a.test/1"}


# The index


def test_duplicates_leave_the_index_at_once(given):
    urls = ["http://a.test/", "http://a.test/longer", "http://b.test/other"]
    given.known([page(urls[0]), page(urls[1]), page(urls[2], b"o" * 16)])
    put_in_index(given, urls)
    assert run(given).counts == {"db_duplicate": 1, "deleted": 1}
    assert indexed(given) == {urls[0], urls[2]}


def test_a_dedup_that_was_killed_before_the_index_is_made_up_for(given, monkeypatch):
    urls = ["http://a.test/", "http://a.test/longer"]
    given.known([page(url) for url in urls])
    put_in_index(given, urls)
    run(given)
    given.known([page("http://c.test/", b"c" * 16), page("http://c.test/longer", b"c" * 16)])
    put_in_index(given, ["http://c.test/", "http://c.test/longer"])
    monkeypatch.setattr("crawl_ops.jobs.dedup.IndexWriters", _killed)
    with pytest.raises(KeyboardInterrupt):
        run(given)
    monkeypatch.undo()
    assert duplicates(given) == {"http://c.test/longer"}
    assert "http://c.test/longer" in indexed(given)
    assert run(given).counts == {"db_duplicate": 0, "deleted": 1}
    assert "http://c.test/longer" not in indexed(given)
    assert run(given).counts == {"db_duplicate": 0, "deleted": 0}


def _killed(*_):
    raise KeyboardInterrupt


def test_only_new_duplicates_are_deleted_from_the_index(given):
    old = [page("http://a.test/"), page("http://a.test/longer")]
    given.known(old)
    put_in_index(given, ["http://a.test/", "http://a.test/longer", "http://c.test/"])
    assert run(given).counts["deleted"] == 1
    given.known([*given.rows(), page("http://c.test/", SAME)])
    assert run(given).counts == {"db_duplicate": 1, "deleted": 1}
    put_in_index(given, ["http://a.test/longer"])
    report = run(given, **{"indexer.delete": False})
    assert report.counts == {"db_duplicate": 0, "deleted": 1}


def test_without_duplicates_no_index_is_made(given):
    given.known([page("http://a.test/")])
    run(given)
    assert not (given.crawl.index_location / "tantivy").exists()


@pytest.mark.parametrize(
    "order", [ALL, ("httpsOverHttp", *ALL), (*ALL[:2], "httpsOverHttp", ALL[2])]
)
def test_pages_compared_some_at_a_time_give_what_all_at_once_give(
    given, another_crawl, monkeypatch, order
):
    chance = random.Random(5)
    known = [
        page(
            f"http{'s' * (n % 2)}://h{n % 7}.test/{n // 2 % 40}",
            bytes([chance.randrange(30)]) * 16,
            score=float(chance.randrange(2)),
        )
        for n in range(280)
    ]
    known = list({row["url"]: row for row in known}.values())
    found = []
    for name, at_once in (("all", 10**9), ("some", 60)):
        crawl = another_crawl(name)
        monkeypatch.setattr("crawl_ops.jobs.dedup.PAGES_COMPARED", at_once)
        monkeypatch.setattr("crawl_ops.jobs.dedup.URLS_COUNTED", at_once)
        crawl.known(known, bits=2)
        run(crawl, " ".join(order))
        found.append({row["url"]: (row["status"], row["reason"]) for row in crawl.rows()})
    assert found[0] == found[1]
    assert len([row for row in found[0].values() if row[0] == "db_duplicate"]) > 100
