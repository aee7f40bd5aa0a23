"""Resolution of links: the URL Standard, and RFC 3986's table."""

import json
from pathlib import Path

import pytest

from crawl_ops.urls.limits import MAX_URL_CHARS
from crawl_ops.urls.resolve import join

DATA = Path(__file__).parent / "data"
PARSED = [json.loads(line) for line in (DATA / "wpt_parse.jsonl").read_text().splitlines()]
RESOLVED = [json.loads(line) for line in (DATA / "resolve.jsonl").read_text().splitlines()]
NO_BASE = "about:blank"


@pytest.mark.parametrize("case", PARSED, ids=lambda case: repr(case["url"])[:60])
def test_web_platform_tests(case):
    assert join(case["base"] or NO_BASE, case["url"]) == case["href"]


def test_web_platform_tests_are_all_there():
    assert len(PARSED) == 535


@pytest.mark.parametrize("case", RESOLVED, ids=lambda case: f"{case['base']} {case['href']}")
def test_reference_resolution(case):
    found = join(case["base"] or NO_BASE, case["href"])
    if "differs" in case:
        assert case["differs"]["gives"] != case["url"]
        assert found == case["differs"]["gives"]
    else:
        assert found == case["url"]


@pytest.mark.parametrize(
    "href",
    [
        "http://a\ud800.example/",
        "/" + "x" * (MAX_URL_CHARS + 1),
        "data:image/png;base64," + "A" * 2_000_000,
        "http://",
        "http://[::1",
        "http://a b/",
    ],
    ids=repr,
)
def test_what_is_no_url_is_none(href):
    assert join("http://a.example/", href) is None


def test_a_base_that_is_no_url_is_none():
    assert join("nonsense", "/page") is None
    assert join("http://a.example/\udfff", "/page") is None


def test_the_fragment_stays():
    assert join("http://a.example/x", "#top") == "http://a.example/x#top"


def test_extra_slashes_lead_to_another_host():
    assert join("http://a.example/old", "///b.example/new") == "http://b.example/new"
