"""The basic normalizer: one spelling, whatever is thrown at it."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from crawl_ops.config.load import load
from crawl_ops.urls.limits import MAX_URL_CHARS
from crawl_ops.urls.normalizers.basic import BasicUrlNormalizer

NORMALIZE = BasicUrlNormalizer(load()).normalize
ODD = st.text(
    alphabet="aZ09.%/\\?#&=;:@[]<>^|{}`\"'~-_+*!$(), \t\n\x00\x01é\u0130ß☕\ud800xn", max_size=40
)
HOSTS = st.one_of(
    st.sampled_from(
        ["a.example", "A.Example.", "[::1]", "0x7f.1", "bücher.de", "xn--p1ai", "1.2.3.4.."]
    ),
    ODD,
)


@st.composite
def web_urls(draw):
    scheme = draw(st.sampled_from(["http", "https", "HTTP", "ftp", "file"]))
    login = draw(st.sampled_from(["", "", "u@", "u:p@"]))
    port = draw(st.sampled_from(["", "", ":", ":80", ":443", ":8080", ":99999"]))
    path = draw(
        st.one_of(
            ODD, st.lists(st.sampled_from([".", "..", "", "a", "%2e", "%2E.", "..."])).map("/".join)
        )
    )
    slashes = draw(st.sampled_from(["//", "/", "", "\\\\", "///"]))
    return f"{scheme}:{slashes}{login}{draw(HOSTS)}{port}/{path}"


@settings(max_examples=600, deadline=None)
@given(st.one_of(web_urls(), ODD, st.text()))
@example("http://a/%2%35")
@example("http://a/%%34%31")
@example("http://a.1../")
@example("http://a.example//../b")
@example("http://a.example/%2e%2e//x")
@example("http:a.example")
@example("file:////a//../b")
@example("file://[::1]/")
@example("ftp://u:@a.example/")
@pytest.mark.parametrize("idn", ["toAscii", "toUnicode", ""])
def test_normalizing_twice_changes_nothing(idn, url):
    normalize = BasicUrlNormalizer(load(None, {"urlnormalizer.basic.host.idn": idn})).normalize
    once = normalize(url)
    if once is not None:
        assert normalize(once) == once


@given(web_urls())
@settings(max_examples=300, deadline=None)
def test_a_web_url_has_neither_fragment_nor_login_nor_odd_characters(url):
    found = NORMALIZE(url)
    if found is not None and found.startswith("http"):
        assert found.isascii()
        assert "#" not in found
        assert "@" not in found.partition("://")[2].partition("/")[0]
        assert not set(found.partition("://")[2].partition("/")[2]) & set(' <>"[]{}|^`\t\n')


@pytest.mark.parametrize(
    ("url", "becomes"),
    [
        ("http://e.test/cmp/Dia%25", "http://e.test/cmp/Dia%25"),
        ("http://e.test/a%252Fb", "http://e.test/a%252Fb"),
        ("http://e.test/m/90%+of", "http://e.test/m/90%25+of"),
        ("http://B\u00fcCHER.example./x", "http://xn--bcher-kva.example/x"),
        ("http://e.test/foo/%2E%2E/bar", "http://e.test/bar"),
        ("http://e.test/foo/..bar", "http://e.test/foo/..bar"),
        ("http://e.test/web/../../../../f/x.html", "http://e.test/f/x.html"),
        ("https://e.test:80/", "https://e.test:80/"),
        ("http://e.test\\a\\..\\b?c\\d", "http://e.test/b?c\\d"),
        ("http://e.test/a//../b", "http://e.test/b"),
        ("http:\\\\e.test\\\\x", "http://e.test/x"),
        ("http://e.test/?q=a//b/../c", "http://e.test/?q=a//b/../c"),
        ("http://[2001:DB8:0:0::1]:80/x", "http://[2001:db8::1]/x"),
        ("http://0x7f.1/", "http://127.0.0.1/"),
        ("http://127.0.0.1./", "http://127.0.0.1/"),
        ("http://u:p@e.test/@x", "http://e.test/@x"),
        ("  http://e.test/a\tb\n ", "http://e.test/ab"),
        ("http://e.test/%e4%C3%bc%7e", "http://e.test/%E4%C3%BC~"),
        ("http://e.test/a'b?c'd", "http://e.test/a'b?c%27d"),
        ("http://e.test/x?", "http://e.test/x"),
        ("ftp://u:p@e.test:21/a//b", "ftp://u:p@e.test/a/b"),
        ("mailto:a@b.example", "mailto:a@b.example"),
    ],
)
def test_spellings(url, becomes):
    assert NORMALIZE(url) == becomes


@pytest.mark.parametrize(
    "url",
    [
        "",
        "page.html",
        "//a.example/",
        "http://",
        "http:///",
        "http://.",
        "http://a.1../",
        "http://a b/",
        "http://a.example:99999/",
        "http://a.example/\x00",
        "http://a.example/\ud800",
        "http://[::1/",
        "http://a.example/" + "x" * MAX_URL_CHARS,
        "http://a.example/" + "é" * (MAX_URL_CHARS // 4),
        "x" * 5_000_000,
    ],
    ids=lambda url: ascii(url)[:40],
)
def test_malformed(url):
    assert NORMALIZE(url) is None


def test_the_dot_after_a_host_may_stay():
    keep = {"urlnormalizer.basic.host.trim-trailing-dot": False}
    assert (
        BasicUrlNormalizer(load(None, keep)).normalize("http://a.example./") == "http://a.example./"
    )


@given(
    st.from_regex(
        r"https?://[a-z0-9.-]{1,12}(/[a-z.%0-9A-F]{0,4}){0,3}(\?[a-z=&'%?/]{0,6})?", fullmatch=True
    )
)
@settings(max_examples=500, deadline=None)
def test_the_short_way_gives_what_the_long_way_gives(url):
    # A blank in front takes every URL the long way.
    assert NORMALIZE(url) == NORMALIZE(" " + url)
