import pytest

from crawl_ops.model import ParseStatus
from crawl_ops.parse.headers import canonical_of
from crawl_ops.parse.language import first_language
from crawl_ops.parse.links import join
from crawl_ops.parse.refresh import read_refresh

# w3lib keeps fractions of a second, and looks into scripts when told to.
KNOWN_DIFFERENCES = {".1;URL=index.html", "3.1;URL=index.html", "foobar_required"}


def test_refreshes_are_read_as_w3lib_expects(facts, parse):
    differences = set()
    for fact in facts("head.jsonl", what="refresh"):
        page = parse(fact["bytes"], fact["url"], charset_hint=fact["charset"])
        if [page.refresh_s, page.refresh_url] != fact["expected"]:
            text = fact["bytes"].decode()
            differences |= {known for known in KNOWN_DIFFERENCES if known in text}
            assert any(known in text for known in KNOWN_DIFFERENCES), text
    assert differences == KNOWN_DIFFERENCES


def test_bases_are_read_as_w3lib_expects(facts, parse):
    for fact in facts("head.jsonl", what="base"):
        page = parse(fact["bytes"], fact["url"], charset_hint=fact["charset"])
        # A URL without a path has "/" as its path (WHATWG).
        assert page.base_url == join(fact["expected"], ""), fact["id"]


def test_meta_robots_and_base_are_read_as_nutch_expects(facts, parse):
    for fact in facts("head.jsonl", what="page"):
        page = parse(fact["html"], fact["url"])
        wanted = fact["expected"]
        assert page.noindex == wanted["noindex"], fact["id"]
        assert page.nofollow == wanted["nofollow"], fact["id"]
        assert page.noarchive == wanted["nocache"], fact["id"]
        assert page.base_url == (wanted["base"] or "http://www.nutch.org/"), fact["id"]


@pytest.mark.parametrize(
    ("content", "seconds", "url"),
    [
        ("0; url=/x", 0, "http://e.test/x"),
        ("5", 5, None),
        ("5;", 5, None),
        (" 5 ; URL = ' /x y ' ", 5, "http://e.test/x%20y"),
        ('0;url="/x"rest', 0, "http://e.test/x"),
        ("0,/x", 0, "http://e.test/x"),
        ("0 /x", 0, "http://e.test/x"),
        ("0;\nurl=\n/x", 0, "http://e.test/x"),
        (".5;url=/x", 0, "http://e.test/x"),
        ("0;url=/p", 0, None),
        ("0;url=javascript:x()", 0, None),
        ("0;url=http://[bad", 0, None),
        ("99999999999;/x", 31_536_000, "http://e.test/x"),
    ],
)
def test_refresh_values(content, seconds, url):
    assert read_refresh(content, "http://e.test/p") == (seconds, url)


@pytest.mark.parametrize("content", ["", "url=/x", "x;url=/x", "5x", ";/x", "-1;/x", "٥; /x"])
def test_values_that_are_no_refresh(content):
    assert read_refresh(content, "http://e.test/p") is None


def test_a_refresh_header_comes_before_the_page(parse):
    page = parse("<meta http-equiv=refresh content='0;/b'>", headers=[("Refresh", "3;url=/a")])
    assert page.status is ParseStatus.SUCCESS_REDIRECT
    assert (page.refresh_s, page.refresh_url) == (3, "http://e.test/a")


def test_a_refresh_for_browsers_without_scripts_does_not_count(parse):
    page = parse("<noscript><meta http-equiv=refresh content='0;/nojs'></noscript>")
    assert page.status is ParseStatus.SUCCESS
    assert page.refresh_url is None


@pytest.mark.parametrize(
    ("html", "headers", "url"),
    [
        ('<link rel="canonical" href="/p">', [], "http://e.test/p"),
        ('<link rel="x CANONICAL" href=" /p ">', [], "http://e.test/p"),
        ("<link rel=canonical href=/a><link rel=canonical href=/b>", [], "http://e.test/a"),
        ('<base href="/d/"><link rel=canonical href=p>', [], "http://e.test/d/p"),
        ('<link rel=canonical href="ftp://e.test/p">', [], None),
        ('<link rel=canonical href="http://[x">', [], None),
        ("<link rel=canonical href=''>", [], None),
        ("", [("Link", '</c>; rel="canonical"')], "http://e.test/c"),
        ("<link rel=canonical href=/p>", [("link", "</c>;rel=canonical")], "http://e.test/c"),
    ],
)
def test_canonical(parse, html, headers, url):
    assert parse(html, headers=headers).canonical_url == url


@pytest.mark.parametrize(
    ("value", "url"),
    [
        ('<a>; rel="next", <b>; rel="x canonical"; type="a,b"', "http://e.test/b"),
        ('<a>; title="x, <b>; rel=canonical"; rel=next, <c>; rel=canonical', "http://e.test/c"),
        ("<a>; rel=next", None),
        ("<a rel=canonical", None),
        ("<" * 50_000, None),
        (";" * 50_000, None),
    ],
)
def test_link_headers(value, url):
    assert canonical_of([value], "http://e.test/") == url


@pytest.mark.parametrize(
    ("candidates", "language"),
    [
        (["en-US"], "en"),
        ([None, "", "de, en"], "de"),
        (["zh_Hant_TW"], "zh"),
        (["english please", "fr"], "fr"),
        (["x" * 10_000], None),
    ],
)
def test_languages(candidates, language):
    assert first_language(candidates) == language


def test_where_the_language_is_said(parse):
    header = [("Content-Language", "da")]
    equiv = '<meta http-equiv="content-language" content="nl">'
    assert parse('<html lang="sv">' + equiv, headers=header).language == "sv"
    assert parse(equiv, headers=header).language == "nl"
    assert parse('<meta name="DC.language" content="fi">' + equiv).language == "fi"
    assert parse("<p>x", headers=header).language == "da"
    assert parse("<p>x").language is None


def test_metatags(parse):
    html = (
        '<meta name="DC.creator" content="A"><meta name="dc.creator" content="B">'
        '<meta name="DC.creator" content="A"><meta property="og:title" content=" O  T ">'
        '<meta name="keywords" content="">'
    )
    found = parse(html, properties={"metatags.names": "dc.creator,og:title,keywords"}).metadata
    assert found == {"metatag.dc.creator": "A\nB", "metatag.og:title": "O T"}
    every = parse(html, properties={"metatags.names": "*"}).metadata
    assert every == found


def test_noarchive_is_kept_with_its_policy(parse):
    page = parse('<meta http-equiv="Pragma" content="No-Cache">')
    assert page.noarchive
    assert page.metadata == {"caching.forbidden": "content"}
