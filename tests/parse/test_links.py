import string

import ada_url
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawl_ops.parse.links import (
    LONGEST_REMEMBERED,
    REMEMBERED,
    REMEMBERED_OF_PAGE,
    LinkResolver,
    _Memory,
    http_url,
    join,
    srcset_urls,
)
from crawl_ops.parse.page import Outlink

BASES = ("http://e.test/a/b?q#f", "https://user:pw@e.test:8080/x", "http://e.test/", "file:///x/y")
HREFS = st.text(st.sampled_from(string.ascii_letters + string.digits + "/.:?#%&=~-_@ \\\t'xn--é"))
LIKELY = st.builds(
    "".join,
    st.lists(
        st.sampled_from(
            ["http://", "https://", "//", "/", "..", ".", "xn--a", "e.test", "1.2", "a", "?", "#",
             "%2e", ":", "p.html", "-", "A", "0x7f", "EXAMPLE.org", "com", ";x", "'", " "]
        ),
        max_size=8,
    ),
)  # fmt: skip


@given(st.sampled_from(BASES), st.one_of(HREFS, LIKELY))
def test_short_cuts_give_what_the_standard_gives(base, href):
    base = ada_url.join_url(base, "")
    found = LinkResolver(base).resolve(href)
    if found is not None:
        assert found == join(base, href)


@pytest.mark.parametrize(
    ("href", "url"),
    [
        ("", "http://e.test/a/b?q"),
        ("..\\d\\x.html", "http://e.test/d/x.html"),
        ("\n\t /b\n", "http://e.test/b"),
        ("/a\nb", "http://e.test/ab"),
        ("//o.test", "http://o.test/"),
        ("HTTP://O.Test:80/./a/../b", "http://o.test/b"),
        ("/ä?ö", "http://e.test/%C3%A4?%C3%B6"),
        ("ftp://e.test/x", "ftp://e.test/x"),
        ("http:x", "http://e.test/a/x"),
        ("http://bücher.test/", "http://xn--bcher-kva.test/"),
    ],
)
def test_resolution(href, url):
    assert LinkResolver("http://e.test/a/b?q").resolve(href) == url


def test_queries_are_encoded_in_the_charset_of_the_page():
    gbk = LinkResolver("http://e.test/", "gbk")
    assert gbk.resolve("/京?q=京&x=ÿ#京") == (
        "http://e.test/%E4%BA%AC?q=%BE%A9&x=%26%23255%3B#%E4%BA%AC"
    )
    assert LinkResolver("http://e.test/").resolve("?q=京") == "http://e.test/?q=%E4%BA%AC"


def test_only_the_web_is_http():
    assert http_url("http://e.test/", "ftp://x/") is None
    assert http_url("http://e.test/", "x" * 70_000) is None
    assert join("nonsense", "x") is None


@pytest.mark.parametrize(
    ("srcset", "urls"),
    [
        ("", []),
        (" , ,", []),
        ("a", ["a"]),
        ("a 1x, b 2x", ["a", "b"]),
        ("a, b", ["a", "b"]),
        ("a (x, y), b", ["a", "b"]),
        ("data:image/png;base64,AA 1x, b", ["data:image/png;base64,AA", "b"]),
        ("a" + ",a" * 50_000, ["a" + ",a" * 50_000]),
    ],
)
def test_srcset(srcset, urls):
    assert srcset_urls(srcset) == urls


def test_a_srcset_is_bounded():
    assert len(srcset_urls("a 1x, " * 50_000)) == 100


def test_a_page_of_the_web_links_to_no_file_of_this_machine(parse):
    page = parse("<a href=file:///etc/passwd>x</a><a href='file:x'>y</a><a href=/ok>z</a>")
    assert [link.url for link in page.outlinks] == ["http://e.test/ok"]
    assert page.rejected == {"scheme=file": 2}
    own = parse("<a href=x.html>x</a><a href=file:///y>y</a>", url="file:///d/p.html")
    assert [link.url for link in own.outlinks] == ["file:///d/x.html", "file:///y"]


def test_what_a_link_comes_to_is_of_its_page_folder_or_site():
    hrefs = ["x", "/x", "#x", "", "../x", "http-x.html", "?x", "http://o.test/x"]
    for base in ("http://a.test/1/p", "http://a.test/1/q", "http://a.test/2/p", "http://b.test/p"):
        resolver = LinkResolver(base)
        found = resolver.resolve_all([Outlink(href) for href in hrefs])
        assert [link.url for link in found] == [join(base, href) for href in hrefs]


def test_links_are_remembered_for_other_pages_within_bounds(monkeypatch):
    monkeypatch.setattr("crawl_ops.parse.links._MEMORY", memory := _Memory())
    many = [f"/{number}" for number in range(3 * REMEMBERED_OF_PAGE)]
    for page in range(2 * REMEMBERED // REMEMBERED_OF_PAGE):
        LinkResolver(f"http://a.test/{page}/p").resolve_all([Outlink(href) for href in many[page:]])
        assert sum(map(len, memory._by_base.values())) <= REMEMBERED
    long = "x" * LONGEST_REMEMBERED
    LinkResolver(f"http://b.test/{long}/p").resolve_all([Outlink(long)])
    assert not any(long in (base + "".join(known)) for base, known in memory._by_base.items())
