"""Host, registered domain, public suffix and parts of URLs."""

import json
from pathlib import Path

import pytest

from crawl_ops.urls.hosts import (
    ascii_host,
    domains,
    host_of,
    is_ip,
    parts_of,
    unicode_host,
)

DATA = Path(__file__).parent / "data"


def rows(name):
    return [json.loads(line) for line in (DATA / f"{name}.jsonl").read_text().splitlines()]


def expect(case, found, wanted):
    if "differs" in case:
        assert case["differs"]["gives"] != wanted
        wanted = case["differs"]["gives"]
    assert found == wanted


@pytest.mark.parametrize("case", rows("domain"), ids=lambda case: f"{case['of']} {case['url']}")
def test_nutch_domains(case):
    host = host_of(case["url"])
    by_list = domains()
    found = by_list.domain_of(host) if case["of"] == "name" else by_list.suffix_of(host)
    expect(case, found, case["is"])


@pytest.mark.parametrize("case", rows("public_suffix"), ids=lambda case: case["host"])
def test_public_suffix_list(case):
    # Where the list says there is no registrable domain, the host stands for itself.
    wanted = case["domain"] or case["host"].lower()
    assert domains(private_suffixes=True).domain_of(case["host"]) == wanted


@pytest.mark.parametrize("case", rows("wpt_host_to_ascii"), ids=lambda case: ascii(case["host"]))
def test_hosts_to_ascii(case):
    assert ascii_host(case["host"]) == case["ascii"]


@pytest.mark.parametrize("case", rows("idn"), ids=lambda case: ascii(case["unicode"]))
def test_nutch_idn(case):
    expect(case, ascii_host(case["unicode"]), case["ascii"])
    if case["back"] is not None:
        assert unicode_host(case["ascii"]) == case["back"]


def test_differences_are_as_many_as_listed():
    found = {name: sum("differs" in case for case in rows(name)) for name in ("domain", "idn")}
    assert found == {"domain": 1, "idn": 4}


@pytest.mark.parametrize(
    ("host", "domain"),
    [
        ("localhost", "localhost"),
        ("127.0.0.1", "127.0.0.1"),
        ("[2001:db8::1]", "[2001:db8::1]"),
        ("a.b.site.test", "site.test"),
        ("www.example.com.", "example.com"),
        ("alice.github.io", "github.io"),
        ("co.uk", "co.uk"),
        ("", ""),
        (".", ""),
        ("a..example.com", "example.com"),
        (".example.example", ".example.example"),
        ("x\ud800.example.com", "example.com"),
    ],
)
def test_domain_of(host, domain):
    assert domains().domain_of(host) == domain


def test_private_suffixes_by_wish():
    assert domains(private_suffixes=True).domain_of("www.alice.github.io") == "alice.github.io"


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("http://a.example/", "a.example"),
        ("HTTP://A.Example:8080", "a.example"),
        ("http://u:p@a.example:80/@x", "a.example"),
        ("https://[::1]:8443/x", "[::1]"),
        ("http://a.example?x=http://b.example/", "a.example"),
        ("file:/path/x", ""),
        ("file:///path/x", ""),
        ("mailto:a@b.example", ""),
        ("no url", ""),
        ("", ""),
        ("http://a.example:port/", ""),
    ],
)
def test_host_of(url, host):
    assert host_of(url) == host


@pytest.mark.parametrize(
    "url",
    [
        "http://u:p@a.example:8080/x/y?a=b#c",
        "https://[::1]:8443/x",
        "http://a.example/?",
        "file:///x/y",
        "mailto:a@b.example",
        "http://a.example/a\nb",
    ],
)
def test_parts_join_to_the_same_url(url):
    assert parts_of(url).join() == url


@pytest.mark.parametrize(
    ("host", "yes"),
    [("1.2.3.4", True), ("[::1]", True), ("1.2.3", False), ("a1", False), ("", False)],
)
def test_is_ip(host, yes):
    assert is_ip(host) is yes
