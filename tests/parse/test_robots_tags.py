from datetime import UTC, datetime

import pytest

from crawl_ops.config.load import load
from crawl_ops.parse.head import agent_tokens
from crawl_ops.parse.html import HtmlParser
from crawl_ops.parse.robots_tags import header_directives, meta_directives, wishes

NOW = datetime(2026, 6, 1, tzinfo=UTC)


def as_lists(found):
    return {"for_all": sorted(found.for_all), "for_me": sorted(found.for_me)}


def test_headers_are_read_as_crawler_commons_expects(facts):
    for fact in facts("head.jsonl", what="header"):
        found = header_directives(fact["values"], fact["tokens"])
        assert as_lists(found) == fact["expected"], fact["values"]


def test_meta_elements_are_read_as_crawler_commons_expects(facts):
    parser = HtmlParser(load())
    for fact in facts("head.jsonl", what="meta"):
        reader, _ = parser.read_markup(fact["html"].encode())
        found = meta_directives(reader.head.metas, fact["tokens"])
        assert as_lists(found) == fact["expected"], fact["html"]


@pytest.mark.parametrize(
    ("value", "noindex", "nofollow", "noarchive"),
    [
        ("noindex", True, False, False),
        ("none", True, True, False),
        ("NOFOLLOW, NoArchive", False, True, True),
        ("otherbot: noindex", False, False, False),
        ("mybot: noindex", True, False, False),
        ("otherbot: noindex, nofollow", False, False, False),
        ("index, mybot: nofollow", False, True, False),
        ("unavailable_after: 25 Jun 2010 15:00:00 GMT", True, False, False),
        ("unavailable_after: Friday, 25-Jun-10 15:00:00 UTC, nofollow", True, True, False),
        ("unavailable_after: 2026-05-31", True, False, False),
        ("unavailable_after: 2026-06-02", False, False, False),
        ("unavailable_after: soon", False, False, False),
        ("x" * 10_000, False, False, False),
    ],
)
def test_what_a_header_comes_to(value, noindex, nofollow, noarchive):
    found = wishes([header_directives([value], ["MyBot"])], NOW)
    assert found == (noindex, nofollow, noarchive)


def test_without_a_time_nothing_is_over():
    directives = header_directives(["unavailable_after: 2001-01-01"], [])
    assert not wishes([directives], None).noindex


def test_the_strictest_of_several_counts(parse):
    page = parse(
        '<meta name="robots" content="index"><meta name="mybot" content="nofollow"><a href=/x>x',
        properties={"http.agent.name": "MyBot/1.0 (test)"},
        headers=[("X-Robots-Tag", "noindex"), ("x-robots-tag", "otherbot: noarchive")],
    )
    assert (page.noindex, page.nofollow, page.noarchive) == (True, True, False)
    assert page.outlinks == []
    assert page.rejected == {"robots=nofollow": 1}


@pytest.mark.parametrize(
    ("name", "tokens"),
    [("", ()), ("My Bot", ("my",)), ("MyBot/2.0", ("mybot",))],
)
def test_our_names(name, tokens):
    assert agent_tokens(load(overrides={"http.agent.name": name})) == tokens


def test_further_names_are_ours_too():
    config = load(overrides={"http.agent.name": "a", "http.robots.agents": "B,c,*"})
    assert agent_tokens(config) == ("a", "b", "c")
