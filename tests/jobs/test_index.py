"""index: what is added, what leaves, and that the order of segments does not matter (rules 14)."""

import itertools
import json
import random
import shutil
from datetime import timedelta
from pathlib import Path

import pytest

from crawl_ops.errors import IndexingError, NotFoundError
from crawl_ops.index.search import get, indexed_ids, search
from crawl_ops.jobs.clean import clean
from crawl_ops.jobs.dedup import dedup
from crawl_ops.jobs.index import index
from crawl_ops.jobs.indexing import records
from crawl_ops.jobs.invertlinks import invertlinks

FACTS = [
    json.loads(line)
    for line in (Path(__file__).parent / "data" / "index.jsonl").read_text("utf-8").splitlines()
]
URL = "http://a.test/page"
ONE, TWO = "20260301000000", "20260302000000"
HOUR = timedelta(hours=1)


def facts(what):
    return [fact for fact in FACTS if fact["what"] == what]


def run(given, segments=None, **conf):
    return index(given.crawl, given.config(**conf), segments, given.now)


def documents(given):
    """URL -> fields of every document."""
    location = given.crawl.index_location
    return {url: get(location, url) for url in indexed_ids(location)}


def text(given, url, words="some words"):
    return {**given.identity(url), "attempt": "a", "text": words}


def page(given, url, status="fetch_success", *, at=None, words="some words", old=None, **parsed):
    """fetched, parsed and parse_text of one page, as keyword arguments of given.segment."""
    at = at or given.now
    rows = {"fetched": [given.fetched(url, status, fetch_time=at, signature=old)]}
    if status == "fetch_success":
        parsed = {"signature": words.encode()[:16].ljust(16), "title": words, **parsed}
        rows["parsed"] = [given.parsed(url, fetch_time=at, **parsed)]
        rows["parse_text"] = [text(given, url, words)]
    return rows


def together(*pages):
    parts = {"fetched": [], "parsed": [], "parse_text": []}
    for rows in pages:
        for part, found in rows.items():
            parts[part] += found
    return parts


# The decision table

FETCHED = (
    "fetch_success",
    "fetch_retry",
    "fetch_redir_temp",
    "fetch_redir_perm",
    "fetch_gone",
    "fetch_notmodified",
    "parse_failed",
)
KNOWN = (
    None,
    "db_unfetched",
    "db_fetched",
    "db_gone",
    "db_redir_temp",
    "db_redir_perm",
    "db_notmodified",
    "db_duplicate",
    "db_orphan",
    "db_parse_failed",
)
PARSED = (None, "success", "success_redirect", "failed", "notparsed")
LEAVING = {"db_gone", "db_redir_temp", "db_redir_perm", "db_duplicate", "db_orphan"}


def decided(fetched, known, parsed, noindex, has_text, rules):
    """Nutch's table 14.1, row by row; its rule 6 comes with 3 and 4, and orphans leave too."""
    delete, delete_noindex, delete_failed, skip_notmodified = rules
    failed = fetched == "parse_failed" or known == "db_parse_failed"
    gone = fetched in ("fetch_gone", "fetch_redir_temp", "fetch_redir_perm") or known in LEAVING
    for holds, action in (
        (delete_noindex and parsed is not None and noindex, "delete"),
        (delete_failed and failed, "delete"),
        (delete and gone, "delete"),
        (not has_text or parsed is None, None),
        (skip_notmodified and known == "db_notmodified", None),
        (parsed not in ("success", "success_redirect") or fetched != "fetch_success", None),
    ):
        if holds:
            return action
    return "add"


@pytest.mark.parametrize(
    "rules",
    list(itertools.product((False, True), repeat=4)),
    ids=lambda rules: "".join(str(int(rule)) for rule in rules),
)
def test_every_cell_of_the_decision_table(given, rules):
    cells = list(itertools.product(FETCHED, KNOWN, PARSED, (False, True), (False, True)))
    urls = [f"http://a.test/{number:04}" for number in range(len(cells))]
    known, fetched, parsed, texts = [], [], [], []
    for url, (fetch, db, parse, noindex, has_text) in zip(urls, cells, strict=True):
        fetched.append(given.fetched(url, fetch))
        if db:
            known.append({"url": url, "status": db, "fetched_time": given.now, "segment": ONE})
        if parse:
            parsed.append(given.parsed(url, parse_status=parse, noindex=noindex))
        if has_text:
            texts.append(text(given, url))
    given.known(known)
    given.segment(ONE, fetched=fetched, parsed=parsed, parse_text=texts)
    names = (
        "indexer.delete",
        "indexer.delete.robots.noindex",
        "parser.delete.failed.parse",
        "indexer.skip.notmodified",
    )
    report = run(
        given, [ONE], **dict(zip(names, rules, strict=True)), **{"indexer.writers": "dummy"}
    )
    lines = (given.crawl.index_location / "dummy" / "dummy-index.txt").read_text().splitlines()
    done = {url: action for action, _, url in (line.partition("\t") for line in lines)}
    assert len(done) == len(lines)
    wrong = [
        (cell, done.get(url))
        for url, cell in zip(urls, cells, strict=True)
        if done.get(url) != decided(*cell, rules)
    ]
    assert wrong == []
    assert sum(report.counts.values()) == len(cells)


@pytest.mark.parametrize("fact", facts("index-one"), ids=lambda fact: fact["note"])
def test_single_pages_as_nutch_has_them(given, fact):
    given.known([{"url": fact["url"], "status": fact["db_status"], "fetched_time": given.now}])
    given.segment(
        ONE,
        fetched=[given.fetched(fact["url"], fact["fetch_status"])],
        parsed=[given.parsed(fact["url"], parse_status=fact["parse_status"])],
        parse_text=[text(given, fact["url"])],
    )
    report = run(given, [ONE], **fact["conf"])
    assert report.counts == fact["counts"]


# A page over several segments


def test_a_page_is_added_with_what_is_known_of_it(given):
    given.known([{"url": URL, "score": 4.0}])
    headers = json.dumps([["Last-Modified", "Thu, 01 Jan 2026 00:00:00 GMT"]])
    content = {
        **given.identity(URL),
        "attempt": "a",
        "base_url": URL,
        "fetch_time": given.now,
        "content": b"x",
        "score": 1.0,
        "headers": headers,
    }
    rows = page(given, URL, words="blue whale", title="Whales", content_type="text/html")
    given.segment(ONE, **rows, content=[content])
    given.update()
    assert run(given).counts == {"indexed": 1}
    document = get(given.crawl.index_location, URL)
    assert document["title"] == "Whales"
    assert document["content"] == "blue whale"
    assert document["segment"] == ONE
    assert document["host"] == "a.test"
    assert document["lastModified"].startswith("2026-01-01")
    assert document["tstamp"].startswith("2026-03-01T12:00")
    assert [hit.url for hit in search(given.crawl.index_location, "whale", 5).hits] == [URL]


@pytest.mark.parametrize(
    ("status", "becomes"),
    [
        ("fetch_gone", False),
        ("fetch_redir_perm", False),
        ("fetch_redir_temp", False),
        ("fetch_retry", True),
        ("fetch_notmodified", True),
        ("parse_failed", True),  # unless parser.delete.failed.parse
    ],
)
def test_what_a_later_fetch_does_to_a_document(given, status, becomes):
    given.known([{"url": URL}])
    given.segment(ONE, **page(given, URL))
    given.update()
    run(given)
    given.segment(TWO, **page(given, URL, status, at=given.now + HOUR))
    given.update()
    run(given)
    assert (URL in documents(given)) is becomes


def test_a_page_that_failed_too_often_is_gone(given):
    given.known([{"url": URL}])
    given.segment(ONE, **page(given, URL))
    given.update()
    run(given)
    failed = given.fetched(URL, "fetch_retry", fetch_time=given.now + HOUR, retries=2)
    given.segment(TWO, fetched=[failed])
    given.update()
    run(given)
    assert documents(given) == {}


def test_gone_and_noindex_pages_leave_in_the_same_cycle(given):
    names = ("a", "b", "c", "keep")
    urls = [f"http://e.test/{name}" for name in names]
    given.known([{"url": url} for url in urls])
    given.segment(ONE, **together(*(page(given, url, words=url) for url in urls)))
    given.update()
    run(given)
    dedup(given.crawl, given.config(), given.now)
    assert set(documents(given)) == set(urls)
    later = given.now + HOUR
    given.segment(
        TWO,
        **together(
            page(given, urls[0], "fetch_gone", at=later),
            page(given, urls[1], "fetch_gone", at=later),
            page(given, urls[2], at=later, noindex=True),
            page(given, urls[3], at=later, words=urls[3]),
        ),
    )
    given.update()
    report = run(given)
    assert report.counts == {"deleted": 3, "indexed": 1}
    assert set(documents(given)) == {urls[3]}
    assert given.row(urls[0])["status"] == "db_gone"


def test_a_page_may_come_back(given):
    given.known([{"url": URL}])
    for number, rows in enumerate(
        (page(given, URL), page(given, URL, "fetch_gone"), page(given, URL, words="again"))
    ):
        for row in [row for found in rows.values() for row in found if "fetch_time" in row]:
            row["fetch_time"] += number * HOUR
        given.segment(f"2026030{number + 1}000000", **rows)
        given.update()
        run(given)
    assert documents(given)[URL]["content"] == "again"


def test_a_segment_that_is_not_folded_yet_knows_more_than_the_crawldb(given):
    status = {"status": "db_gone", "fetched_time": given.now - HOUR, "segment": "20260228000000"}
    given.known([{"url": URL, **status}])
    given.segment(ONE, **page(given, URL))
    run(given, [ONE])
    assert URL in documents(given)


def test_a_page_fetched_twice_in_a_segment_counts_with_its_latest_fetch(given):
    given.known([{"url": URL}])
    via = given.fetched(URL, "fetch_gone", via="http://b.test/", fetch_time=given.now - HOUR)
    rows = page(given, URL)
    rows["fetched"].append(via)
    given.segment(ONE, **rows)
    given.update()
    assert run(given).counts == {"indexed": 1}


# Any order

OUTCOMES = ("new", "same", "noindex", "304", "retry", "gone", "redirect", "unparsable", "absent")


def outcome(given, url, what, at, number):
    row = given.row(url)
    old = row["signature"]
    words = f"text {number}" if what != "same" or old is None else old.decode().strip()
    if what in ("new", "same", "noindex", "unparsable"):
        more = {"noindex": what == "noindex"}
        if what == "unparsable":
            more = {"parse_status": "failed", "signature": old}
        return page(given, url, at=at, words=words, old=old, **more)
    status = {
        "304": "fetch_notmodified",
        "retry": "fetch_retry",
        "gone": "fetch_gone",
        "redirect": "fetch_redir_temp",
    }
    return page(given, url, status[what], at=at, old=old)


def history(given, seed, segments=4, urls=40):
    """Segments of random outcomes, folded in order; returns URL -> segment of its document."""
    chosen = random.Random(seed)
    found = [f"http://h{n % 7}.test/{n}" for n in range(urls)]
    given.known([{"url": url} for url in found])
    holds = dict.fromkeys(found)
    names = [f"2026030{number + 1}000000" for number in range(segments)]
    for number, name in enumerate(names):
        rows = []
        for url in found:
            what = chosen.choice(OUTCOMES)
            if what == "absent":
                continue
            rows.append(outcome(given, url, what, given.now + number * HOUR, number))
            if what in ("new", "same"):
                holds[url] = name
            elif what in ("noindex", "gone", "redirect"):
                holds[url] = None
        given.segment(name, **together(*rows))
        given.update(name, **{"db.fetch.retry.max": 99})
    return names, {url: name for url, name in holds.items() if name}


def held(given):
    return {url: fields["segment"] for url, fields in documents(given).items()}


@pytest.mark.parametrize("seed", range(3))
def test_segments_may_be_indexed_in_any_order(given, tmp_path, seed):
    names, expected = history(given, seed)
    run(given)
    assert held(given) == expected
    chosen = random.Random(seed)
    for number in range(3):
        given.crawl.index_location.rename(tmp_path / f"index-{number}")
        order = chosen.sample(names, len(names))
        for name in order:
            run(given, [name])
        assert held(given) == expected, order
        run(given, [chosen.choice(names)])
        assert held(given) == expected, "indexed once more"


def test_segments_that_are_not_folded_may_be_indexed_in_any_order(given):
    given.segment(ONE, **page(given, URL, words="old"))
    given.segment(TWO, **page(given, URL, at=given.now + HOUR, words="new"))
    for order in ((ONE, TWO), (TWO, ONE)):
        for name in order:
            run(given, [name])
        assert documents(given)[URL]["content"] == "new"


def test_a_later_fetch_may_be_in_a_segment_with_a_lower_name(given):
    given.known([{"url": URL}])
    given.segment(TWO, **page(given, URL, words="old"))
    given.update(TWO)
    given.segment(ONE, **page(given, URL, at=given.now + HOUR, words="new"))
    given.update(ONE)
    run(given)
    assert documents(given)[URL]["content"] == "new"


def test_what_an_older_segment_held_does_not_come_back_when_the_newer_one_is_removed(given):
    given.known([{"url": URL}])
    given.segment(ONE, **page(given, URL, words="old"))
    given.update()
    later = given.now + HOUR
    given.segment(TWO, **page(given, URL, at=later, words="new"))
    given.update()
    confirmed = page(given, URL, "fetch_notmodified", at=later + HOUR, old=b"new".ljust(16))
    given.segment("20260303000000", **confirmed)
    given.update()
    run(given)
    shutil.rmtree(given.crawl.root / "segments" / TWO)
    run(given, [ONE])
    assert documents(given)[URL]["content"] == "new"


def test_a_duplicate_is_not_added_again_by_an_older_segment(given):
    urls = ["http://a.test/", "http://a.test/longer"]
    given.known([{"url": url} for url in urls])
    given.segment(ONE, **together(*(page(given, url, words="same") for url in urls)))
    given.update()
    run(given)
    dedup(given.crawl, given.config(), given.now)
    assert set(documents(given)) == {urls[0]}
    assert run(given, [ONE]).counts == {"indexed": 1, "deleted": 1}
    assert set(documents(given)) == {urls[0]}


# Which segments


def test_only_folded_segments_that_are_not_in_the_index_are_taken(given):
    given.known([{"url": URL}])
    given.segment(ONE, **page(given, URL))
    assert run(given).details["segments"] == 0
    given.update()
    assert run(given).segment == ONE
    assert run(given).details["segments"] == 0
    assert run(given, [ONE]).counts == {"indexed": 1}


def test_a_segment_that_does_not_exist_is_an_error(given):
    with pytest.raises(NotFoundError, match="nowhere"):
        run(given, ["nowhere"])


def test_nothing_to_do_makes_no_index(given):
    assert run(given).counts == {}
    assert not given.crawl.index_location.exists()


# Documents


def test_a_feed_is_a_document_and_a_sitemap_is_none(given):
    urls = {kind: f"http://a.test/{kind}" for kind in ("page", "feed", "sitemap")}
    given.known([{"url": url} for url in urls.values()])
    given.segment(ONE, **together(*(page(given, u, words=k, kind=k) for k, u in urls.items())))
    given.update()
    assert run(given).counts == {"indexed": 2, "skipped.sitemap": 1}
    assert set(documents(given)) == {urls["page"], urls["feed"]}


@pytest.mark.parametrize("fact", facts("anchors"), ids=lambda fact: fact["note"])
def test_anchors_as_nutch_has_them(given, fact):
    given.known([{"url": URL}])
    links = [given.link(url, URL, anchor=anchor) for url, anchor in fact["inlinks"]]
    given.segment(ONE, **page(given, URL), links=links)
    given.update()
    invertlinks(given.crawl, given.config(), None, given.now)
    run(given, **fact["conf"])
    assert documents(given)[URL]["anchor"] == fact["anchors"]


def test_a_page_without_links_has_no_anchors(given):
    given.known([{"url": URL}])
    given.segment(ONE, **page(given, URL), links=[given.link("http://b.test/", URL, anchor="")])
    given.update()
    invertlinks(given.crawl, given.config(), None, given.now)
    run(given)
    assert "anchor" not in documents(given)[URL]


def test_metadata_of_the_crawldb_may_have_several_values(given):
    metadata = json.dumps({"topic": ["sea", "fish"], "fixedInterval": 60.0})
    given.known([{"url": URL, "metadata": metadata}])
    given.segment(ONE, **page(given, URL))
    given.update()
    run(given, **{"index.db.md": "topic,fixedInterval"})
    document = documents(given)[URL]
    assert document["topic"] == ["sea", "fish"]
    assert document["fixedInterval"] == "60.0"


PLUG = """
class Picky:
    def __init__(self, config):
        pass

    def filter(self, document, record):
        if "raises" in record.url:
            raise ValueError("no")
        return None if "dropped" in record.url else document
"""


@pytest.mark.parametrize(("delete", "left"), [(False, {"dropped", "raises"}), (True, {"raises"})])
def test_what_a_filter_drops_may_leave_but_what_it_fails_at_stays(given, tmp_path, delete, left):
    (tmp_path / "picky_index_filter.py").write_text(PLUG)
    urls = [f"http://a.test/{name}" for name in ("dropped", "raises")]
    given.known([{"url": url} for url in urls])
    given.segment(ONE, **together(*(page(given, url, words=url) for url in urls)))
    given.update()
    run(given)
    name = "picky_index_filter:Picky"
    conf = {
        "plugin.folders": str(tmp_path),
        "indexingfilter.order": f"basic,{name}",
        "indexer.delete.skipped.by.indexingfilter": delete,
    }
    assert run(given, [ONE], **conf).counts == {f"skipped.{name}": 2}
    assert {url.rpartition("/")[2] for url in documents(given)} == left


def test_the_csv_file_holds_the_documents_of_all_segments_of_a_job(given):
    urls = ["http://a.test/1", "http://a.test/2"]
    given.known([{"url": url} for url in urls])
    for name, url in zip((ONE, TWO), urls, strict=True):
        given.segment(name, **page(given, url))
    given.update()
    run(given, **{"indexer.writers": "csv", "indexer.csv.header": False})
    lines = (given.crawl.index_location / "csv" / "nutch.csv").read_text().splitlines()
    assert [line.partition(",")[0] for line in lines] == urls


# Memory


def many_files(given, files, pages, words):
    """A segment whose text is in many part files."""
    urls = [[f"http://a.test/{n:02}-{m:03}" for m in range(pages)] for n in range(files)]
    given.known([{"url": url} for group in urls for url in group])
    segment = given.crawl.new_segment(ONE)
    segment.publish({"lists": [{"list": 0}], "created": given.now.isoformat()})
    for number, group in enumerate(urls):
        stem = f"a.{number:04}"
        segment.write_part("crawl_fetch", 0, stem, [given.fetched(url) for url in group])
        segment.write_part("parse_data", 0, stem, [given.parsed(url) for url in group])
        texts = [text(given, url, f"{url} {words}") for url in group]
        segment.write_part("parse_text", 0, stem, texts)
    segment.finish("fetch", 0, {})
    segment.finish("parse", 0, {})
    given.update()
    return [url for group in urls for url in group]


@pytest.mark.parametrize("files", [1, 3, 100])
def test_part_files_are_read_some_at_a_time(given, monkeypatch, files):
    monkeypatch.setattr(records, "GROUP_FILES", files)
    urls = many_files(given, 7, 5, "words")
    run(given, **{"indexer.writers": "csv", "indexer.csv.header": False})
    lines = (given.crawl.index_location / "csv" / "nutch.csv").read_text().splitlines()
    assert [line.partition(",")[0] for line in lines] == sorted(urls)


def test_text_is_never_held_as_a_whole(given, monkeypatch):
    monkeypatch.setattr(records, "GROUP_BYTES", 1)
    urls = many_files(given, 16, 80, "word " * 20_000)  # 128 MB
    limits = {"duckdb.memory_limit": "100MB", "duckdb.max_temp_directory_size": "1MB"}
    report = run(given, **limits, **{"indexer.writers": "dummy"})
    assert report.counts == {"indexed": len(urls)}


# The index that is there


def indexed_one(given):
    given.known([{"url": URL}])
    given.segment(ONE, **page(given, URL))
    given.update()
    run(given)
    assert set(documents(given)) == {URL}


@pytest.mark.parametrize("what", ["tantivy", "tantivy/meta.json"])
def test_an_index_that_was_removed_is_made_anew_of_the_segments_that_are_there(given, what):
    indexed_one(given)
    gone = given.crawl.index_location / what
    shutil.rmtree(gone) if gone.is_dir() else gone.unlink()
    assert run(given).counts["indexed"] == 1
    assert set(documents(given)) == {URL}
    assert run(given).details["segments"] == 0


def test_an_index_that_another_job_has_made_anew_is_filled(given):
    indexed_one(given)
    shutil.rmtree(given.crawl.index_location / "tantivy")
    clean(given.crawl, given.config(), given.now)
    assert documents(given) == {}
    assert run(given).counts["indexed"] == 1


@pytest.mark.parametrize("job", [index, dedup])
def test_a_broken_index_is_an_error_also_if_nothing_is_to_do(given, job):
    indexed_one(given)
    (given.crawl.index_location / "tantivy" / "meta.json").write_text("{")
    arguments = (None, given.now) if job is index else (given.now,)
    with pytest.raises(IndexingError, match=r"tantivy: cannot be read .*remove this folder"):
        job(given.crawl, given.config(), *arguments)
