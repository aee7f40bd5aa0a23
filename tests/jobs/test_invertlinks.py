"""invertlinks: who links to a URL (Nutch rules 13)."""

import json
import random
from pathlib import Path

import pytest

from crawl_ops.errors import NotFoundError, StoreError
from crawl_ops.jobs.invertlinks import invertlinks
from crawl_ops.storage.session import Session

FACTS = [
    json.loads(line)
    for line in (Path(__file__).parent / "data" / "linkdb.jsonl").read_text("utf-8").splitlines()
]
ALL = {"linkdb.ignore.internal.links": False}
ONE, TWO, THREE = "20260301000000", "20260302000000", "20260303000000"


def facts(what):
    return [fact for fact in FACTS if fact["what"] == what]


def run(given, segments=None, **conf):
    return invertlinks(given.crawl, given.config(**conf), segments, given.now)


def linkdb(given):
    """Target -> [[source, anchor], …] in the order of the file."""
    found = {}
    for row in given.rows("linkdb"):
        found.setdefault(row["to_url"], []).append([row["from_url"], row["anchor"]])
    return found


@pytest.mark.parametrize("fact", facts("invert"), ids=lambda fact: fact["note"])
def test_links_as_nutch_inverts_them(given, fact):
    links = [
        given.link(source, target, anchor=anchor or None)
        for source, outlinks in fact["outlinks"].items()
        for target, anchor in outlinks
    ]
    given.segment(links=links)
    run(given, **fact["conf"])
    assert linkdb(given) == fact["becomes"]


@pytest.mark.parametrize("fact", facts("merge"), ids=lambda fact: fact["note"])
@pytest.mark.parametrize("at_once", [True, False])
def test_links_of_old_segments_stay(given, fact, at_once):
    for name, inlinks in zip((ONE, TWO), fact["segments"], strict=True):
        given.segment(
            name,
            links=[given.link(of, to, anchor=of) for to, found in inlinks.items() for of in found],
        )
        if not at_once:
            run(given, **ALL)
    run(given, **ALL)
    assert linkdb(given) == {
        to: [[of, of] for of in found] for to, found in fact["becomes"].items()
    }


def test_a_link_remembers_its_first_and_last_segment(given):
    seen, gone = ("http://a.test/", "http://b.test/"), ("http://a.test/", "http://c.test/")
    given.segment(ONE, links=[given.link(*seen), given.link(*gone)])
    given.segment(TWO)
    given.segment(THREE, links=[given.link(*seen)])
    run(given, [THREE])
    run(given)
    rows = {
        row["to_url"]: (row["first_segment"], row["last_segment"]) for row in given.rows("linkdb")
    }
    assert rows == {seen[1]: (ONE, THREE), gone[1]: (ONE, ONE)}


@pytest.mark.parametrize("kind", ["redirect", "refresh", "canonical", "sitemap"])
def test_only_links_that_a_page_shows_count(given, kind):
    given.segment(
        links=[
            given.link("http://a.test/", "http://b.test/", kind=kind),
            given.link("http://a.test/", "http://c.test/", kind="feed"),
        ]
    )
    run(given)
    assert set(linkdb(given)) == {"http://c.test/"}


def test_asked_again_nothing_changes(given):
    given.segment(ONE, links=[given.link("http://a.test/", "http://b.test/")])
    report = run(given, [ONE])
    assert report.counts == {"links": 1, "new": 1}
    assert report.segment == ONE
    for segments in ([ONE], [f"segments/{ONE}/"], None):
        assert run(given, segments).details["already_done"] is True
    assert given.crawl.table("linkdb").current().version == 1


def test_a_segment_without_links_is_done_too(given):
    given.segment(ONE)
    run(given)
    assert given.crawl.table("linkdb").current().segments == (ONE,)
    assert linkdb(given) == {}


def test_a_segment_that_is_not_parsed_is_left_or_refused(given):
    given.segment(ONE, finished=False)
    assert run(given).details["segments"] == 0
    with pytest.raises(StoreError, match=f"segment {ONE}: list 0 is not parsed"):
        run(given, [ONE])
    assert given.crawl.table("linkdb").versions() == []


def test_a_segment_that_does_not_exist_is_an_error(given):
    with pytest.raises(NotFoundError, match="nowhere"):
        run(given, ["nowhere"])


def test_the_limit_of_links_keeps_the_same_whatever_came_first(given, another_crawl):
    links = [(f"http://h{n:02}.test/", "http://b.test/") for n in range(40)]
    names = [f"2026030{n + 1}000000" for n in range(4)]
    kept = []
    for number in range(3):
        crawl = another_crawl(f"crawl-{number}")
        random.Random(number).shuffle(links)
        for part, name in enumerate(names):
            crawl.segment(name, links=[crawl.link(*link) for link in links[part::4]])
        for name in random.Random(number).sample(names, 4):
            run(crawl, [name], **{"linkdb.max.inlinks": 7})
        kept.append([row["from_url"] for row in crawl.rows("linkdb")])
    assert kept[0] == [f"http://h{n:02}.test/" for n in range(7)]
    assert kept[0] == kept[1] == kept[2]


def some_links(crawl, number, seed):
    chosen = random.Random(seed)
    return [
        crawl.link(
            f"http://h{chosen.randrange(30)}.test/{chosen.randrange(9)}",
            f"http://h{chosen.randrange(30)}.test/{chosen.randrange(9)}",
            anchor=f"anchor {chosen.randrange(3)}",
        )
        for _ in range(number)
    ]


def test_many_buckets_hold_the_same_links_as_one(given, another_crawl):
    other = another_crawl("other")
    for seed, name in enumerate((ONE, TWO)):
        for crawl in (given, other):
            crawl.segment(name, links=some_links(crawl, 4000, seed))
    limit = {"linkdb.max.inlinks": 12}
    run(given, **limit)
    for name in (ONE, TWO):
        run(other, [name], **limit, **{"db.bucket.rows": 1000})
    assert len(given.crawl.table("linkdb").current().files) == 1
    assert len(other.crawl.table("linkdb").current().files) > 4

    def facts_of(crawl):
        rows = sorted(crawl.rows("linkdb"), key=lambda r: (r["k"], r["from_url"], r["anchor"]))
        return rows, sum(row["from_host"] != row["to_url"] for row in rows)

    assert facts_of(given) == facts_of(other)


def test_the_file_is_in_the_order_of_targets_and_sources(given):
    given.segment(ONE, links=some_links(given, 500, 3))
    run(given)
    order = [(row["k"], row["from_url"], row["anchor"]) for row in given.rows("linkdb")]
    assert order == sorted(set(order))


def test_only_buckets_that_links_lead_to_are_written(given):
    given.segment(ONE, links=some_links(given, 4000, 1))
    run(given, **{"db.bucket.rows": 1000})
    before = {entry.path for entry in given.crawl.table("linkdb").current().files}
    inside = given.link("http://h2.test/1", "http://h2.test/2")
    given.segment(TWO, links=[given.link("http://h1.test/", "http://h2.test/new"), inside])
    run(given)
    after = {entry.path for entry in given.crawl.table("linkdb").current().files}
    assert len(before - after) == len(after - before) == 1


def test_what_a_failed_job_wrote_is_removed(given, monkeypatch):
    given.segment(ONE, links=some_links(given, 4000, 1))
    calls = []
    whole = Session.copy_bucket

    def failing(self, *args, **parameters):
        calls.append(1)
        if len(calls) > 2:
            raise StoreError("the disk is full")
        return whole(self, *args, **parameters)

    monkeypatch.setattr(Session, "copy_bucket", failing)
    with pytest.raises(StoreError, match="full"):
        run(given, **{"db.bucket.rows": 1000})
    assert list(given.crawl.files.walk("linkdb/base")) == []
