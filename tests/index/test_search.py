"""Asking the index."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from crawl_ops.config.load import load
from crawl_ops.index.document import Document
from crawl_ops.index.search import count, get, indexed_ids, search
from crawl_ops.index.writers import IndexWriters

CONFIG = load(overrides={"indexer.memory.bytes": 15_000_000})
PAGES = {
    "http://a.test/cats": {
        "title": "Cats and dogs",
        "content": "Cats sleep all day. " * 40 + "A lonely zebra appears. " + "The end. " * 40,
        "anchor": ["feline friends"],
        "host": "a.test",
        "lang": "en",
        "type": ["text/html", "text", "html"],
        "metatag.description": "About cats",
        "tstamp": "2026-11-30T00:00:00Z",
    },
    "http://a.test/dogs": {
        "title": "Dogs",
        "content": "Dogs run. <b>Not</b> cats & pg_stat_activity 9.4 C++",
        "host": "a.test",
        "lang": "en",
    },
    "http://b.test/tokyo": {
        "title": "東京都の天気",
        "content": "日本の首都は東京です。Über Straßen und Plätze. ภาษาไทย हिन्दी में",
        "host": "www.b.test",
        "lang": "ja",
    },
    "http://b.test/not": {
        "title": "Using NOT NULL: a guide",
        "content": "null is not a value",
        "host": "www.b.test",
        "lang": "en",
    },
}


QUERY_WORDS = ["AND", "OR", "NOT", "IN", "TO", "title:", "lang:", "boost:", "cats", "日", "2"]
QUERY_WORDS += ["1e999", "2026-11-30", "\u0301", "\x00"]


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    location = tmp_path_factory.mktemp("index")
    with IndexWriters(CONFIG, location) as writers:
        for url, fields in PAGES.items():
            writers.write(Document(url, {"url": url, **fields}))
        writers.commit()
    return location


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("cats", {"cats", "dogs"}),
        ("CATS", {"cats", "dogs"}),
        ("feline", {"cats"}),
        ("tokyo", {"tokyo"}),  # the URL
        ("sleep run", {"cats", "dogs"}),
        ("sleep AND run", set()),
        ("+dogs -sleep", {"dogs"}),
        ("dogs NOT sleep", {"dogs"}),
        ("(sleep OR run) AND dogs", {"cats", "dogs"}),
        ('"cats sleep"', {"cats"}),
        ('"sleep cats"', set()),
        ('"cats day"~3', {"cats"}),
        ('"cats sl"*', {"cats"}),
        ("-sleep", {"cats"}),  # nothing but exclusions: as words
        ("title:cats", {"cats"}),
        ("content:zebra", {"cats"}),
        ("text:zebra", {"cats"}),
        ("anchor:friends", {"cats"}),
        ("url:tokyo", {"tokyo"}),
        ("host:b.test", {"tokyo", "not"}),
        ("lang:ja", {"tokyo"}),
        ("lang:en AND dogs", {"cats", "dogs"}),
        ("type:html", {"cats"}),
        ("metatag.description:about", {"cats"}),
        ("pg_stat_activity", {"dogs"}),
        ("activity", {"dogs"}),
        ("9.4", {"dogs"}),
        ("über", {"tokyo"}),
        ("東京", {"tokyo"}),
        ("京東", set()),
        ("首都", {"tokyo"}),
        ("ไทย", {"tokyo"}),
        ("हिन्दी", {"tokyo"}),
        ("http://a.test/dogs", {"cats", "dogs", "tokyo", "not"}),  # http and test are in all URLs
        ("nothing-of-the-kind", set()),
    ],
)
def test_a_query_and_what_it_finds(index: Path, query: str, found: set[str]) -> None:
    result = search(index, query, 10)
    assert {hit.url.rpartition("/")[2] for hit in result.hits} == found
    assert result.total == len(found)


@pytest.mark.parametrize(
    "query",
    [
        '"zebra',
        "zebra AND",
        "zebra)",
        "(((zebra",
        "zebra^",
        "field: zebra",
        "nofield:zebra",
        "[zebra",
    ],
)
def test_what_does_not_parse_is_read_as_words(index: Path, query: str) -> None:
    hits = search(index, query, 10).hits
    assert hits
    assert hits[0].url == "http://a.test/cats"


@pytest.mark.parametrize(
    "query",
    ["", " ", "!", "title:*", "[", "(" * 10_000, "-" * 10_000, "+(" * 5_000, "\x00\ud800"],
)
def test_what_holds_no_word_finds_nothing(index: Path, query: str) -> None:
    assert search(index, query, 10).hits == []


def test_a_page_without_title_is_not_what_an_empty_query_means(tmp_path: Path) -> None:
    with IndexWriters(CONFIG, tmp_path) as writers:
        writers.write(Document("http://a.test/", {"title": "", "content": "bare"}))
        writers.commit()
    assert [search(tmp_path, query, 10).total for query in ("", "!", "bare")] == [0, 0, 1]


def test_a_query_of_a_megabyte(index: Path) -> None:
    assert search(index, "zebra " * 200_000, 10).total == 1
    assert search(index, "x" * 1_000_000, 10).total == 0


@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    st.lists(
        st.sampled_from([*"+-*\"()[]{}^~/\\:<>=!&|' ", *QUERY_WORDS]),
        max_size=15,
    ).map("".join)
)
def test_no_query_is_an_error(index: Path, query: str) -> None:
    result = search(index, query, 2)
    assert len(result.hits) == min(result.total, 2)


def test_a_title_with_operators_finds_its_page(index: Path) -> None:
    assert search(index, "Using NOT NULL: a guide", 5).hits[0].url == "http://b.test/not"


def test_an_url_finds_its_page(index: Path) -> None:
    for url in PAGES:
        assert search(index, f" {url} ", 5).hits[0].url == url


def test_star_lists_everything(index: Path) -> None:
    for query in ("*", "*:*", " * "):
        result = search(index, query, 1_000_000)
        assert [hit.url for hit in result.hits] == sorted(PAGES)
        assert result.total == len(PAGES)


def test_limit_and_offset_change_the_hits_not_the_total(index: Path) -> None:
    for query in ("*", "test"):
        everything = search(index, query, 10).hits
        pages = [search(index, query, 1, offset=n) for n in range(5)]
        assert sorted(hit.url for page in pages for hit in page.hits) == sorted(
            hit.url for hit in everything
        )
        assert {page.total for page in pages} == {4}
    for limit in (0, -1):
        assert search(index, "cats", limit).as_dict() == {"total": 2, "hits": []}


def test_a_snippet_is_plain_text_around_the_words(index: Path) -> None:
    [hit] = search(index, "zebra", 5).hits
    assert "A lonely zebra appears." in hit.snippet
    assert len(hit.snippet) <= 240
    [hit] = search(index, "title:dogs -sleep", 5).hits
    assert hit.snippet.startswith("Dogs run. <b>Not</b> cats & pg")


def test_without_an_index_there_is_nothing(tmp_path: Path) -> None:
    for location in (tmp_path, tmp_path / "not" / "there"):
        assert search(location, "*", 5).as_dict() == {"total": 0, "hits": []}
        assert count(location) == 0
        assert get(location, "http://a.test/") is None
        assert list(indexed_ids(location)) == []
    assert list(tmp_path.iterdir()) == []


def test_reading_needs_no_lock(tmp_path: Path) -> None:
    with IndexWriters(CONFIG, tmp_path) as writers:
        writers.write(Document("http://a.test/", {"title": "apples"}))
        writers.commit()
    lock = tmp_path / "tantivy" / ".tantivy-meta.lock"
    lock.unlink()
    lock.mkdir()  # as in a folder that is read-only: no lock file can be made
    before = sorted((tmp_path / "tantivy").iterdir())
    assert [hit.url for hit in search(tmp_path, "apples", 1).hits] == ["http://a.test/"]
    assert list(indexed_ids(tmp_path)) == ["http://a.test/"]
    assert sorted((tmp_path / "tantivy").iterdir()) == before
