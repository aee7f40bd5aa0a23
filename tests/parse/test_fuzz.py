"""Any bytes give a result: no exception, no failed parser, only text that can be stored."""

import gzip
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawl_ops.config.load import load
from crawl_ops.model import ParseStatus
from crawl_ops.parse.page import Page
from crawl_ops.parse.parsers import Parsers

PARSERS = Parsers(load(overrides={"http.agent.name": "bot", "metatags.names": "*"}))
FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
PIECES = st.sampled_from(
    b"""< > </ /> <!-- --> <![CDATA[ ]]> <!DOCTYPE <?xml?> <?xml encoding='utf-16'?> <a href= <a>
    </a>     <base href= <meta charset= http-equiv=refresh content= url= <title> </title> <script>
    </script>
    <table> <td> <svg> <template> </template> <form action= <img srcset= alt= src= rel=nofollow ' "
    &#0; &#127; &#x80; &#x82; &#xd800; &amp; &x; http:// //[ javascript: \x00 \x7f \xc2\x80 \xff\xfe
    \xef\xbb\xbf \xef\xbf\xbe \xed\xa0\x80 <urlset> <url> <loc> </loc> <rss> <channel> <item> <link>
    <feed> <entry> <guid> 0; , ; = % /.. \n""".split()
)
SOUP = st.lists(st.one_of(PIECES, st.binary(max_size=6)), max_size=60).map(b" ".join)
CONTENT = st.one_of(SOUP, st.binary(max_size=400), SOUP.map(gzip.compress))
TYPES = ("text/html", "application/xhtml+xml", "text/xml", "text/plain", "application/x-gzip")
HINTS = st.sampled_from((None, "utf-8", "utf-16", "gbk", "iso-2022-jp", "nonsense", "big5"))
HEADERS = st.lists(
    st.tuples(
        st.sampled_from(("X-Robots-Tag", "Link", "Refresh", "Content-Language")),
        st.text(max_size=40),
    ),
    max_size=3,
)


@pytest.mark.parametrize("content_type", TYPES)
@settings(max_examples=150, deadline=2000)
@given(content=CONTENT, hint=HINTS, headers=HEADERS, truncated=st.sampled_from((None, "time")))
def test_any_bytes_give_a_result(content_type, content, hint, headers, truncated):
    url = "http://e.test/d/p?q"
    page = PARSERS.parse(Page(url, content, url, content_type, hint, headers, truncated))
    assert page.status is not ParseStatus.FAILED, page.reason
    texts = [page.title, page.text, page.reason or "", *page.metadata, *page.metadata.values()]
    for link in page.outlinks:
        texts += [link.url, link.anchor, link.rel]
    for text in texts:
        assert not FORBIDDEN.search(text), text
    assert page.outlinks_found == len(page.outlinks) + sum(page.rejected.values())
