"""Keys, slots, hosts and domains."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawl_ops.urls.hosts import host_of
from crawl_ops.urls.identity import UrlIdentifier

IDENTIFIER = UrlIdentifier(seed=42)


def test_keys_never_change():
    # Stored in every table: a new version of a library must give the same.
    assert IDENTIFIER.identify("http://www.example.com/") == (
        13586962677700997237,
        26712,
        "www.example.com",
        "example.com",
    )


def test_the_seed_decides():
    other = UrlIdentifier(seed=43).identify("http://www.example.com/")
    assert other.k != IDENTIFIER.identify("http://www.example.com/").k
    assert other.slot != IDENTIFIER.identify("http://www.example.com/").slot


@pytest.mark.parametrize(
    ("url", "host", "domain"),
    [
        ("http://www.example.co.uk/x", "www.example.co.uk", "example.co.uk"),
        ("http://127.0.0.1:8080/x", "127.0.0.1", "127.0.0.1"),
        ("http://[::1]:8080/x", "[::1]", "[::1]"),
        ("http://localhost/x", "localhost", "localhost"),
        ("http://a.b.site.test/", "a.b.site.test", "site.test"),
        ("https://a.example?x", "a.example", "a.example"),
        ("http://1.2.3.4/", "1.2.3.4", "1.2.3.4"),
        ("http://u@b.example/", "b.example", "b.example"),
        ("HTTP://B.Example/", "b.example", "b.example"),
        ("ftp://b.example/", "b.example", "b.example"),
        ("file:///etc/x", "", ""),
        ("nonsense", "", ""),
    ],
)
def test_host_and_domain(url, host, domain):
    found = IDENTIFIER.identify(url)
    assert (found.host, found.domain) == (host, domain)


def test_hosts_of_a_domain_share_a_slot():
    slots = {
        IDENTIFIER.identify(f"http://{name}.example.com/{name}").slot
        for name in ("www", "a.b", "m")
    }
    assert len(slots) == 1


def test_private_suffixes_separate_sites():
    url = "http://alice.github.io/"
    assert IDENTIFIER.identify(url).domain == "github.io"
    assert UrlIdentifier(42, private_suffixes=True).identify(url).domain == "alice.github.io"


@given(st.text())
def test_any_text_has_an_identity(text):
    found = IDENTIFIER.identify(text)
    assert 0 <= found.k < 2**64
    assert 0 <= found.slot < 2**16


@given(
    st.lists(
        st.sampled_from(["http://", "a.test", "b", ":80", ":", "u:p@", "/", "?", "#", "[::1]", "é"])
    ).map("".join)
)
def test_the_short_way_finds_the_same_host(url):
    assert IDENTIFIER.identify(url).host == host_of(url)


def test_many_at_once_are_what_they_are_one_by_one():
    urls = [
        "http://a.example/",
        "http://a.example/b",
        "https://a.example:8080/b/c",
        "http://b.example?q=/x",
        "http://b.example",
        "http://c.example#/x",
        "http://u:p@d.example/x",
        "http://[::1]/x",
        "http://x/",
        "http://8.8.8.8/",
        "ftp://e.example/f",
        "file:///a/b",
        "mailto:a@b.example",
        "http://ü.example/ü",
        "",
    ]
    identifier = UrlIdentifier(3)
    for _ in range(2):
        found = identifier.identify_all(urls)
        assert list(zip(*found, strict=True)) == [UrlIdentifier(3).identify(url) for url in urls]
    assert identifier.identify_all([]) == ([], [], [], [])
