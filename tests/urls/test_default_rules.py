"""The rules that hold when a user has none."""

import pytest

from crawl_ops.config.load import load
from crawl_ops.urls.chain import UrlChain


@pytest.mark.parametrize(
    ("url", "accepted"),
    [
        ("http://a.test/sitemap.xml.gz", True),
        ("http://a.test/SITEMAP.XML.GZ?x=1", True),
        ("http://a.test/archive.tar.gz", False),
        ("http://a.test/data.gz", False),
        ("http://a.test/page.html?file=x.gz", True),
        ("http://a.test/?page=2", True),
    ],
)
def test_a_packed_sitemap_is_no_obvious_binary(url, accepted):
    assert (UrlChain(load()).judge(url).url is not None) is accepted
