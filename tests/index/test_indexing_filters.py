"""What a page's document holds, by filter."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from crawl_ops.config.load import load
from crawl_ops.errors import ConfigError
from crawl_ops.index.document import Record
from crawl_ops.index.indexing_filters import IndexingFilters, boost
from crawl_ops.index.more import http_time

DATA = Path(__file__).parent / "data"
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
NOW = datetime(2026, 11, 30, tzinfo=UTC)
CASES = [
    json.loads(line)
    for line in (DATA / "indexing_filters.jsonl").read_text(encoding="utf-8").splitlines()
]


def record(url: str = "http://site.test/page", **known: Any) -> Record:
    given = {"title": None, "text": None, "fetch_time": NOW, "domain": "site.test"} | known
    return Record(url=url, host=url.split("/")[2], **given)


def fields(page: Record, **properties: Any) -> dict[str, Any]:
    config = load(overrides={name.replace("__", "."): v for name, v in properties.items()})
    indexed = IndexingFilters(config).document(page)
    assert indexed.document is not None, indexed.reason
    return indexed.document.fields


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_what_nutch_has(case: dict[str, Any]) -> None:
    known = dict(case["record"])
    for name in ("fetch_time", "modified_time"):
        if f"{name}_ms" in known:
            known[name] = EPOCH + timedelta(milliseconds=known.pop(f"{name}_ms"))
    indexed = IndexingFilters(load(overrides=case["config"])).document(record(case["url"], **known))
    assert indexed.document is not None
    for name, expected in case["fields"].items():
        found = indexed.document.fields.get(name)
        assert (found.isoformat() if isinstance(found, datetime) else found) == expected, name


def test_every_document_knows_where_it_comes_from() -> None:
    found = fields(record(signature="00ff", segment="20261130000000", score=4.0))
    assert found["id"] == "http://site.test/page"
    assert found["digest"] == "00ff"
    assert found["segment"] == "20261130000000"
    assert found["boost"] == "2.0"


def test_a_title_has_a_hundred_characters_and_none_is_no_field() -> None:
    assert fields(record(title="  " + "é" * 200))["title"] == "é" * 100
    assert "title" not in fields(record(title="   "))


def test_content_is_there_without_text() -> None:
    assert fields(record())["content"] == ""


def test_characters_xml_forbids_are_gone_from_all_fields() -> None:
    bad = "a\x00\x0b\x1f\ufffe\uffff\ud800b\t\n\U0001f600"
    found = fields(record(title=bad, text=bad, anchors=[bad]))
    good = "ab\t\n\U0001f600"
    assert (found["title"], found["content"], found["anchor"]) == (good, good, [good])


def test_the_representative_url_of_a_redirect_is_shown() -> None:
    found = fields(record(repr_url="http://Short.test:8080/"))
    assert (found["id"], found["url"], found["host"]) == (
        "http://site.test/page",
        "http://Short.test:8080/",
        "short.test",
    )


@pytest.mark.parametrize(
    ("policy", "cache"), [("content", "content"), ("all", "all"), ("none", None)]
)
def test_noarchive_is_passed_on(policy: str, cache: str | None) -> None:
    found = fields(record(noarchive=True), parser__caching__forbidden__policy=policy)
    assert found.get("cache") == cache
    assert "cache" not in fields(record(), parser__caching__forbidden__policy=policy)


def test_anchors_keep_their_first_spelling_and_order() -> None:
    anchors = ["Next", "Home", "next", " ", "", "NEXT"]
    assert fields(record(anchors=anchors))["anchor"] == ["Next", "Home", "next", "NEXT"]
    once = fields(record(anchors=anchors), anchorIndexingFilter__deduplicate=True)
    assert once["anchor"] == ["Next", "Home"]


@pytest.mark.parametrize(
    "text",
    [
        "Sun, 06 Nov 1994 08:49:37 GMT",
        "Sunday, 06-Nov-94 08:49:37 GMT",
        "Sun Nov  6 08:49:37 1994",
        "1994-11-06T08:49:37Z",
        "1994-11-06T09:49:37+01:00",
    ],
)
def test_forms_of_last_modified(text: str) -> None:
    assert http_time(text) == datetime(1994, 11, 6, 8, 49, 37, tzinfo=UTC)


@pytest.mark.parametrize("text", ["", "never", "0", "Sun, 99 Nov 1994 08:49:37 GMT", "9" * 10_000])
def test_no_last_modified(text: str) -> None:
    assert http_time(text) is None
    assert fields(record(headers=[("Last-Modified", text)]))["date"] == NOW


def test_file_names_of_content_disposition() -> None:
    for header in ('attachment; filename="a b.pdf"', "inline; FILENAME=a%20b.pdf; size=3"):
        assert fields(record(headers=[("content-disposition", header)]))["title"] == "a b.pdf"
    assert "title" not in fields(record(headers=[("content-disposition", "attachment")]))


def test_metadata_becomes_fields() -> None:
    page = record(
        parse_metadata={"metatag.description": " About ", "metatag.keywords": "a; b", "x": "no"},
        db_metadata={"source": ["one", "two"]},
        headers=[("Server", "nginx"), ("X-Tag", "1"), ("x-tag", "2")],
    )
    found = fields(
        page,
        index__db__md="source",
        index__content__md="x-tag",
        index__metadata__separator=";",
        index__metadata__multivalued__fields="metatag.keywords",
    )
    assert found["metatag.description"] == "About"
    assert found["metatag.keywords"] == ["a", "b"]
    assert found["source"] == ["one", "two"]
    assert found["x-tag"] == ["1", "2"]
    assert "x" not in found
    assert "server" not in {name.lower() for name in found}


def test_language_only_if_asked_for() -> None:
    order = "basic,language"
    assert fields(record(language="de"), indexingfilter__order=order)["lang"] == "de"
    assert fields(record(), indexingfilter__order=order)["lang"] == "unknown"
    assert "lang" not in fields(record(language="de"))


@pytest.mark.parametrize(
    ("score", "power", "expected"),
    [(1, 0.5, 1), (4, 0.5, 2), (4, 0, 1), (0, 0.5, 0), (-1, 0.5, 0), (float("nan"), 0.5, 0)],
)
def test_boost(score: float, power: float, expected: float) -> None:
    assert boost(score, power) == expected


PLUG = """
class Text(str):
    pass

class Drafts:
    def __init__(self, config):
        self.config = config

    def filter(self, document, record):
        if "draft" in record.url:
            return None
        if "broken" in record.url:
            raise RuntimeError("no such thing")
        if "odd" in record.url:
            document.fields["odd"] = None
        if "text" in record.url:
            document.id = Text(record.url)
            document.fields = {Text("t"): Text("one"), "many": [Text("two")]}
        document.add("section", record.url.rpartition("/")[2])
        return document
"""


def test_a_filter_of_ones_own(tmp_path: Path) -> None:
    (tmp_path / "drafts.py").write_text(PLUG)
    filters = IndexingFilters(
        load(
            overrides={
                "plugin.folders": str(tmp_path),
                "indexingfilter.order": "basic drafts:Drafts static",
                "index.static": "by:us",
            }
        )
    )
    kept = filters.document(record()).document
    assert kept is not None
    assert (kept.fields["section"], kept.fields["by"]) == ("page", "us")
    texts = filters.document(record("http://site.test/text")).document
    assert texts is not None
    found = [texts.id, *texts.fields, texts.fields["t"], *texts.fields["many"]]
    assert {type(text) for text in found} == {str}
    odd = filters.document(record("http://site.test/odd"))
    assert (odd.document, odd.rejected_by, odd.failed) == (None, "drafts:Drafts", True)
    dropped = filters.document(record("http://site.test/draft"))
    assert (dropped.document, dropped.rejected_by) == (None, "drafts:Drafts")
    broken = filters.document(record("http://site.test/broken"))
    assert broken.document is None
    assert broken.reason == "RuntimeError: no such thing"


def test_an_unknown_filter_is_a_configuration_error() -> None:
    with pytest.raises(ConfigError, match=r"indexingfilter\.order.*'basics'"):
        IndexingFilters(load(overrides={"indexingfilter.order": "basics"}))
