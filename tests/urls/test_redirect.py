"""The representative URL of a redirect."""

import json
from pathlib import Path

import pytest

from crawl_ops.urls.redirect import repr_url

CASES = [
    json.loads(line)
    for line in (Path(__file__).parent / "data" / "redirect.jsonl").read_text().splitlines()
]
ROOT, PAGE = "http://www.a.com/", "http://www.a.com/x/index.html"
NEWS, NEWS_PAGE = "http://www.news.a.com/", "http://www.news.a.com/y"
QUERY = "http://www.a.com/?y=1"


@pytest.mark.parametrize("case", CASES)
def test_nutch_choices(case):
    assert repr_url(case["src"], case["dst"], case["temporary"]) == case["repr"]


@pytest.mark.parametrize(
    ("src", "dst", "temporary", "chosen"),
    [
        (ROOT, "http://b.com/", False, "http://b.com/"),
        (ROOT, "http://b.com/", True, "http://b.com/"),
        (ROOT, PAGE, False, ROOT),  # permanent, but the root keeps its name
        (PAGE, ROOT, False, ROOT),
        (QUERY, PAGE, False, PAGE),  # a query makes it no root
        (PAGE, NEWS_PAGE, False, NEWS_PAGE),
        (ROOT, PAGE, True, ROOT),
        (PAGE, ROOT, True, ROOT),
        (PAGE, "http://www.a.com/z.html", True, "http://www.a.com/z.html"),  # fewer segments
        ("http://www.a.com/aaa", "http://www.a.com/b", True, "http://www.a.com/b"),  # shorter
        ("http://www.a.com/a", "http://www.a.com/b", True, "http://www.a.com/a"),  # tie
        (PAGE, NEWS_PAGE, True, PAGE),  # fewer labels
        (NEWS, ROOT, True, ROOT),
        (NEWS, "http://www.mail.a.com/", True, NEWS),  # tie
        ("nonsense", PAGE, False, PAGE),
        (ROOT, "nonsense", True, "nonsense"),
        ("mailto:a@a.com", "mailto:b@a.com", True, "mailto:b@a.com"),
    ],
)
def test_every_line_of_the_table(src, dst, temporary, chosen):
    assert repr_url(src, dst, temporary) == chosen
