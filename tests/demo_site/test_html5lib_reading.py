"""benchmarks/html5lib_reading.py: the reading that pages are held against."""

import pytest

from benchmarks.html5lib_reading import read

URL = "http://e.test/d/p.html"


@pytest.mark.parametrize(
    ("markup", "title", "links"),
    [
        (b"<title> A\n b</title><a href=x#top>x</a>", "A b", {"http://e.test/d/x"}),
        (b"<base href=/r/><img src=i.png><a href=mailto:a@b>m</a>", "", {"http://e.test/r/i.png"}),
        (b"<a rel='x nofollow' href=/no>x</a><template><a href=/t></a></template>", "", set()),
        (b"</html><p>x<a href=http://[bad>x</a><a href=/late>y", "", {"http://e.test/late"}),
        (b"<svg><title>drawing</title></svg><title>page</title>", "page", set()),
    ],
)
def test_read(markup, title, links):
    assert read(markup, URL, None) == (title, links)


def test_the_charset_of_the_header_counts():
    assert read("<title>\u0416</title>".encode("koi8-r"), URL, "koi8-r")[0] == "\u0416"
