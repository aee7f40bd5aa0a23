"""A page is found by its title among many that share its words."""

import random
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path

import pytest

from crawl_ops.config.load import load
from crawl_ops.index.document import Document, Record
from crawl_ops.index.indexing_filters import IndexingFilters
from crawl_ops.index.search import search
from crawl_ops.index.writers import IndexWriters

PAGES = 1_500
NOW = datetime(2026, 11, 30, tzinfo=UTC)
WORDS = [
    "string",
    "function",
    "functions",
    "operator",
    "operators",
    "table",
    "index",
    "query",
    "create",
    "alter",
    "drop",
    "select",
    "insert",
    "update",
    "delete",
    "trigger",
    "view",
    "schema",
    "role",
    "backup",
    "server",
    "client",
    "library",
    "data",
    "type",
    "types",
    "date",
    "time",
    "array",
    "json",
    "text",
    "search",
    "range",
    "mathematical",
    "comparison",
    "aggregate",
    "window",
    "sequence",
    "row",
    "system",
    "catalog",
    "replication",
    "monitoring",
    "configuration",
    "and",
    "of",
    "the",
    "with",
    "for",
    "using",
]


def title(number: int, pick: random.Random) -> str:
    words = [
        word.title() if len(word) > 4 else word for word in pick.sample(WORDS, pick.randint(2, 5))
    ]
    return f"{number // 40 + 1}.{number % 40 + 1}. {' '.join(words)}"


@pytest.fixture(scope="module")
def manual(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """A manual whose pages all carry a part of the same navigation."""
    pick = random.Random(94)
    titles = {f"http://doc.test/{n}.html": title(n, pick) for n in range(PAGES)}
    titles["http://doc.test/functions-string.html"] = "9.4. String Functions and Operators"
    navigation = " ".join(titles.values())
    config = load()
    filters = IndexingFilters(config)
    location = tmp_path_factory.mktemp("index")
    with IndexWriters(config, location) as writers:
        for url, own in titles.items():
            start = pick.randrange(len(navigation) - 3_000)
            text = (
                f"{own} {navigation[start : start + 3_000]} {' '.join(pick.choices(WORDS, k=150))}"
            )
            page = Record(
                url=url,
                host="doc.test",
                domain="doc.test",
                title=own,
                text=text,
                fetch_time=NOW,
                score=pick.choice([0.001, 1.0, 50.0]),
                anchors=["Next", "Prev", own, pick.choice(list(titles.values()))],
            )
            document = filters.document(page).document
            assert document is not None
            writers.write(document)
        writers.commit()
    return location, titles


def test_a_whole_title_finds_its_page_first(manual: tuple[Path, dict[str, str]]) -> None:
    location, titles = manual
    for url in list(titles)[::5]:
        assert search(location, titles[url], 1).hits[0].url == url
        assert search(location, titles[url].lower(), 1).hits[0].url == url


@pytest.mark.parametrize(
    "query",
    [
        "9.4. String Functions and Operators",
        "string functions and operators",
        "String Functions and Operators 9.4",
        '"String Functions and Operators"',
        "functions and operators string",
    ],
)
def test_a_part_of_a_title(manual: tuple[Path, dict[str, str]], query: str) -> None:
    location, _ = manual
    best = [hit.url for hit in search(location, query, 5).hits]
    assert "http://doc.test/functions-string.html" in best


def test_titles_with_the_phrase_then_titles_with_all_words(
    manual: tuple[Path, dict[str, str]],
) -> None:
    location, titles = manual
    words = {url: text.lower().split()[1:] for url, text in titles.items()}
    for first, second in (("string", "functions"), ("data", "type"), ("json", "array")):
        phrase = {u for u, w in words.items() if (first, second) in pairwise(w)}
        both = {u for u, w in words.items() if first in w and second in w}
        hits = [hit.url for hit in search(location, f"{first} {second}", len(both)).hits]
        assert set(hits[: len(phrase)]) == phrase
        assert set(hits) == both


def test_documents_with_all_words_before_those_with_some(tmp_path: Path) -> None:
    with IndexWriters(load(), tmp_path) as writers:
        writers.write(Document("http://site.test/one", {"content": "rare " * 50}))
        writers.write(
            Document("http://site.test/all", {"content": "rare " + "x " * 500 + "common"})
        )
        for number in range(50):
            writers.write(Document(f"http://site.test/{number}", {"content": "common words"}))
        writers.commit()
    hits = [hit.url for hit in search(tmp_path, "rare common", 2).hits]
    assert hits == ["http://site.test/all", "http://site.test/one"]


def test_among_equals_the_boost_decides_then_the_url(tmp_path: Path) -> None:
    with IndexWriters(load(), tmp_path) as writers:
        for name, boost in (("c", 1.0), ("b", 1.0), ("z", 9.0), ("a", 0.0)):
            fields = {"title": "Same page", "content": "the same"}
            writers.write(Document(f"http://site.test/{name}", fields, boost=boost))
        writers.commit()
    hits = [hit.url[-1] for hit in search(tmp_path, "same page", 10).hits]
    assert hits == ["z", "b", "c", "a"]
