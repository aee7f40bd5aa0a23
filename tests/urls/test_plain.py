"""What is told to be plain is what the chain lets through as it is."""

import re
from itertools import product

import pytest

from crawl_ops.config.load import load
from crawl_ops.storage.texts import fitting
from crawl_ops.urls.chain import UrlChain
from crawl_ops.urls.plain import FORM, widened

HOSTS = ("a.example", "a.example:8080", "a.example:80", "A.example", "xn--a.example", "1.2", "a.b.")
PATHS = (
    "",
    "/",
    "/a/b-c/9.html",
    "//a",
    "/./a",
    "/a/../b",
    "/a/.b",
    "/a/",
    "/x.PNG",
    "/x.xml.gz",
    "/a/a/a/b",
    "/a/b/a/b/a/b",
    "/1/2/3/4/5/6/7",
    "/calendar/2050/01",
    "/medical/2050/01",
    "/%41%2d",
    "/%C3%A9",
    "/%",
    "/%zz",
    "/ü",
    "/a b",
    "/a;jsessionid=1",
    "/(S(abcdefghijklmnopqrstuvwx))/p",
    "/" + "s/" * 40,
)
TAILS = (
    "",
    "?",
    "?q=1",
    "?q=1&",
    "?&q",
    "?a&&b",
    "?sid=7",
    "?month=2050",
    "?a;b",
    "#f",
    "?x=%2525",
)
TAILS += ("?" + "&".join(f"p{n}" for n in range(30)), "?" + "&".join("p=1" for _ in range(9)))
RULES = {
    "": 40,
    "-[?&]q=\n+^https?://([a-z0-9-]+\\.)*example/\n-.": 20,
    "-(?i)PNG\n+\\.html$": 2,
    "-^http:\n-.*a/a\n+.": 30,
    "-(/[^/]+)\\1\n+.": 40,
    "> a.example\n-q\n<\n+.": 40,
    "-\\bq\\b\n-(?<!x)[[:x:]]\n+.": 0,  # what RE2 makes nothing or another thing of
}


@pytest.mark.parametrize(("rules", "least"), RULES.items())
def test_plain_urls_are_given_back_as_they_are(rules, least):
    chain = UrlChain(load(None, {"urlfilter.regex.rules": rules}), "inject")
    plain = chain.plain()
    schemes = ("http://", "https://", "ftp://", "HTTP://")
    urls = ["".join(parts) for parts in product(schemes, HOSTS, PATHS, TAILS)]
    fits = fitting(urls, FORM, plain.must, plain.unless)
    told = [url for url, fit in zip(urls, fits, strict=True) if fit]
    told = [url for url in told if not any(asked(url) for asked in plain.asks)]
    assert [url for url in told if chain.judge(url).url != url] == []
    assert len(told) >= least


def test_all_plugs_of_ours_can_be_asked_and_those_of_others_are():
    order = "prefix suffix domain domaindenylist fast validator automaton regex traps"
    normalizers = "basic regex querystring host protocol slash ajax pass"
    plain = UrlChain(
        load(None, {"urlfilter.order": order, "urlnormalizer.order": normalizers})
    ).plain()
    assert plain is not None
    assert not any(asked("http://www.a.example/b.html") for asked in plain.asks)
    assert any(asked("http://www.a.example/b.html?b=1&a=1") for asked in plain.asks)
    assert any(asked("http://www.a.example/b.exe") for asked in plain.asks)
    own = {"urlfilter.order": "regex datetime:datetime"}
    assert _plain_of_own(own) is None


def _plain_of_own(conf):
    chain = UrlChain(load(None, {}))
    chain._plugs = (*chain._plugs, object())
    return chain.plain()


@pytest.mark.parametrize(
    ("expression", "wider", "exact"),
    [
        (r"^https?://a\.b/", r"^https?://a\.b/", True),
        (r"[^]/]++x(?>y)", "[^]/]+x(?:y)", False),
        (r"a(?!b[)](c))d(?<=e)", "ad", False),
        (r"(?i:a{2,3}?)|b*", "(?i:a{2,3}?)|b*", True),
        (r"a{2,200}?b{3,200}+c{4,}", "a{2,}?b{3,}c{4,}", False),
        (r"(a)\1", None, None),
        (r"(?P<n>a)b", "(a)b", True),
        (r"(?P<n>a)(?P=n)", None, None),
        (r"a(?=b)?c", None, None),
        (r"a{,3}", None, None),
        (r"é", "é", False),
    ],
)
def test_an_expression_is_widened_to_what_re2_knows(expression, wider, exact):
    found = widened(re.compile(expression, re.ASCII))
    assert (found and found.text, found and found.exact) == (wider, exact)
