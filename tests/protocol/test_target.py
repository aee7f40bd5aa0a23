"""A URL taken apart: quickly where it is plain, by the book everywhere else, and the same way."""

import ada_url
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawl_ops.protocol.target import Target

LABELS = st.text("abz09-.x", max_size=12)
PORTS = ["", ":", ":80", ":443", ":8080", ":08", ":59999", ":60000", ":65536"]
BYTES = ["0", "00", "1", "9", "10", "09", "99", "100", "199", "249", "255", "256", "0x7"]
ADDRESSES = st.lists(st.sampled_from(BYTES), min_size=3, max_size=5).map(".".join)
PATHS = st.text("aZ09/.%?#&=~+-_ \"'<|\\", max_size=20)


@given(
    st.sampled_from(["http", "https"]),
    LABELS | ADDRESSES,
    st.sampled_from(["", ":80", ":443", ":8080", ":08", ":59999", ":65536"]),
    PATHS,
)
def test_plain_or_not_the_parts_are_those_of_the_standard(scheme, host, port, path):
    url = f"{scheme}://{host}{port}/{path}"
    try:
        parts = ada_url.URL(url)
    except ValueError:
        with pytest.raises(ValueError, match="bad url"):
            Target.of(url)
        return
    target = Target.of(url)
    assert target.host_header == parts.host
    assert target.path == parts.href.partition("#")[0].removeprefix(parts.origin)
    assert target.port == int(parts.port or {"http": 80, "https": 443}[scheme])


@pytest.mark.parametrize(
    ("url", "site", "path"),
    [
        ("http://a.test/x?y", "http://a.test", "/x?y"),
        ("https://a.test:443/", "https://a.test", "/"),
        ("http://a.test/a/../b", "http://a.test", "/b"),
        ("http://a.test/.", "http://a.test", "/"),
        ("http://0x7f.1/", "http://127.0.0.1", "/"),
        ("http://[::1]:8080/a", "http://[::1]:8080", "/a"),
        ("http://a.test/x?", "http://a.test", "/x?"),
        ("http://127.0.0.1/x?", "http://127.0.0.1", "/x?"),
        ("http://127.0.0.1/x?#f", "http://127.0.0.1", "/x?"),
        ("http://127.0.0.1/x#?", "http://127.0.0.1", "/x"),
    ],
)
def test_parts(url, site, path):
    target = Target.of(url)
    assert (target.site, target.path) == (site, path)


@pytest.mark.parametrize("url", ["", "a", "ftp://a.test/", "http:///", "http://[x/", "file:///x"])
def test_what_is_none(url):
    with pytest.raises(ValueError, match="bad url"):
        Target.of(url)
