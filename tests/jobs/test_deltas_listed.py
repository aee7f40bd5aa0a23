"""A small round takes from its fetch lists what they have of a crawldb that is the same still."""

import json
from datetime import timedelta

import pytest

from crawl_ops.storage import rewrite
from crawl_ops.storage.schema import schemas

URLS = [f"https://h{number % 4}.site{number % 3}.test/{number}" for number in range(16)]
OVER = {"db.deltas.rows": 0, "db.deltas.max": 9}
LISTED = schemas()["crawl_generate"].names
OLD = {
    "status": "db_fetched", "signature": b"s" * 16, "etag": '"old"', "last_modified": "then",
    "content_type": "text/old", "metadata": '{"a":"b"}', "max_depth": 7, "retries": 1,
}  # fmt: skip


def known(crawl):
    before = crawl.now - timedelta(days=20)
    old = OLD | {"fetched_time": before, "modified_time": before, "interval_s": 77}
    rows = [{"url": url, "score": n / 4, "depth": n} for n, url in enumerate(URLS[:12])]
    crawl.known([row | (old if n % 2 else {}) for n, row in enumerate(rows)])


def fold(crawl, number, fetched, links=(), *, listed, version=None):
    """A round whose lists are what the crawldb has of the URLs without `via`; its rows say so."""
    now = {row["url"]: row for row in crawl.rows()}
    lists = [
        {name: now[row["url"]].get(name) for name in LISTED}
        | {"list": 0, "position": n, "attempt": "a"}
        for n, row in enumerate(fetched)
        if row["url"] in now and "via" not in row
    ]  # fmt: skip
    copied = ("score", "modified_time", "interval_s", "retries", "signature", "depth", "metadata")
    of = {row["url"]: {name: row[name] for name in copied} for row in lists}
    name = crawl.segment(
        f"2026030100000{number}",
        [{**row, **of.get(row["url"], {})} for row in fetched],
        links=links,
        crawl_generate=lists,
    )
    if listed:
        segment = crawl.crawl.segment(name)
        at = crawl.crawl.table("crawldb").current().version if version is None else version
        info = segment.info() | {"crawldb_version": at}
        crawl.crawl.files.put(f"{segment.folder}/segment.json", json.dumps(info).encode())
    return crawl.update(name, **OVER)


def rounds(crawl):
    """What two rounds fetch: known ones, new ones, some by redirects, a key that is another's."""
    later = crawl.now + timedelta(days=40)
    kinds = ["fetch_success", "fetch_notmodified", "fetch_gone", "fetch_retry", "fetch_redir_temp"]
    first = [crawl.fetched(url, kinds[n % 5]) for n, url in enumerate(URLS[:7])]
    led = [crawl.fetched(url, via=URLS[0], hops=1) for url in (*URLS[8:10], URLS[14])]
    taken = crawl.fetched("https://other.test/", via=URLS[0])
    taken |= {"k": crawl.fetched(URLS[10])["k"], "slot": crawl.fetched(URLS[10])["slot"]}
    second = [crawl.fetched(url, kinds[n % 2], fetch_time=later) for n, url in enumerate(URLS[:9])]
    older = crawl.fetched(URLS[9], via=URLS[1], fetch_time=crawl.now - timedelta(days=1))
    links = [crawl.link(URLS[0], url, depth=2) for url in URLS[5:16]]
    return [([*first, *led, taken], links), ([*second, older], links)]


def tables(crawl):
    return [
        sorted(crawl.rows(table), key=lambda row: (row["host"], row.get("url", "")))
        for table in ("crawldb", "hostdb")
    ]


@pytest.mark.parametrize("version", [None, 0])
def test_rows_are_the_same_from_lists_and_from_the_crawldb(crawls, monkeypatch, version):
    monkeypatch.setattr(rewrite, "SHARE", 0)
    results = []
    for listed in (True, False):
        crawl = crawls()
        known(crawl)
        reports = [
            fold(crawl, number, fetched, links, listed=listed, version=version).counts
            for number, (fetched, links) in enumerate(rounds(crawl))
        ]
        results.append((reports, tables(crawl)))
    assert results[0] == results[1]
    assert results[0][0][0]["key_collisions"] == 1
    assert results[0][0][1]["older_fetch_ignored"] == 1


def test_what_changed_since_the_lists_were_made_counts(crawls, monkeypatch):
    monkeypatch.setattr(rewrite, "SHARE", 0)
    crawl = crawls()
    known(crawl)
    at = crawl.crawl.table("crawldb").current().version
    first = [crawl.fetched(URLS[1], "fetch_gone")]
    fold(crawl, 0, first, listed=True)
    again = [crawl.fetched(URLS[1], "fetch_notmodified", fetch_time=crawl.now + timedelta(days=1))]
    segment = fold(crawl, 1, again, listed=True, version=at)
    assert segment.counts["db_notmodified"] == 1
    assert crawl.row(URLS[1])["etag"] is None  # gone took it
