"""The cookie of a record's metadata goes to its own host and to no other."""

import pytest

from crawl_ops.config.load import load
from crawl_ops.jobs.fetching.items import FetchItem, cookie_of, found_item, without_cookie
from crawl_ops.urls.identity import UrlIdentifier

WITH = '{"Cookie": "a=1", "topic": "x"}'


@pytest.mark.parametrize(
    ("metadata", "cookie", "rest"),
    [
        (None, None, None),
        ('{"topic": "Cookie"}', None, '{"topic": "Cookie"}'),
        (WITH, "a=1", '{"topic": "x"}'),
        ('{"Cookie": "a=1"}', "a=1", None),
        ('{"Cookie": 7}', None, None),
    ],
)
def test_metadata(metadata, cookie, rest):
    assert cookie_of(metadata) == cookie
    assert without_cookie(metadata) == rest


@pytest.mark.parametrize(
    ("url", "metadata"),
    [("http://a.example/y", WITH), ("http://b.example/y", '{"topic": "x"}')],
)
def test_a_redirect_to_another_host_leaves_it_behind(url, metadata):
    identify = UrlIdentifier(1).identify
    start = "http://a.example/x"
    source = FetchItem(0, {**identify(start)._asdict(), "url": start, "metadata": WITH})
    found = found_item(source, url, identify(url), load(), hops=1)
    assert found.row["metadata"] == metadata
