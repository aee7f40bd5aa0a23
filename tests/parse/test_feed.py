from datetime import UTC, datetime

import pytest

from crawl_ops.model import LinkKind, ParseStatus
from crawl_ops.parse.dates import past_date, read_date

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def test_feeds_are_read_as_feedparser_and_nutch_expect(facts, parse):
    for fact in facts("feeds.jsonl"):
        page = parse(fact["feed"], "http://x.test/", "application/rss+xml")
        assert page.kind == "feed", fact["id"]
        links = [link.url for link in page.outlinks]
        if "links" in fact:
            assert links == fact["links"]
            continue
        for path, value in fact["facts"].items():
            if path == "feed['title']":
                assert page.title == value, fact["file"]
            elif path == "entries[0]['link']":
                assert links[0] == value.replace("TEST", "test"), fact["file"]
            else:
                assert value in page.text.split("\n"), fact["file"]


def test_an_atom_feed_as_a_page(parse):
    page = parse(
        """<?xml version="1.0" encoding="utf-8"?>
        <feed xmlns="http://www.w3.org/2005/Atom" xml:lang="de-AT">
          <title>News &amp; more</title><link href="/" /><link rel="self" href="/feed"/>
          <subtitle type="html">all &lt;b&gt;of&lt;/b&gt; it</subtitle>
          <entry><title>One</title><link rel="replies" href="/r"/><link href="/one"/>
            <updated>2025-01-02T03:04:05+01:00</updated>
            <summary>first &lt;p&gt;entry</summary></entry>
          <entry><title type="html">&lt;i&gt;Two&lt;/i&gt;</title>
            <link rel="alternate" href="/two"/>
            <source><title>x</title><link href="/source"/></source>
            <published>2099-01-01</published>
            <content type="xhtml"><div>second</div></content></entry>
          <entry><title>Three</title><link href="javascript:x()"/></entry>
        </feed>""",
        "http://e.test/feed",
        "application/atom+xml",
        fetch_time=NOW,
    )
    assert (page.status, page.title, page.language) == (ParseStatus.SUCCESS, "News & more", "de")
    assert page.text.split("\n") == [
        "News & more", "all of it", "One", "first", "entry", "Two", "second", "Three"
    ]  # fmt: skip
    found = [(link.url, link.anchor, link.kind, link.modified_time) for link in page.outlinks]
    assert found == [
        ("http://e.test/one", "One", LinkKind.FEED, datetime(2025, 1, 2, 2, 4, 5, tzinfo=UTC)),
        ("http://e.test/two", "Two", LinkKind.FEED, None),
    ]
    assert page.rejected == {"scheme=javascript": 1}


def test_rss_takes_a_permanent_guid_for_a_link(parse):
    page = parse(
        """<rss version="2.0"><channel><language>en-us</language>
        <item><guid>http://e.test/g1</guid></item>
        <item><guid isPermaLink="false">http://e.test/g2</guid><title>t</title></item>
        <item><guid>tag:x</guid><link>http://e.test/l3</link><pubDate>Thu, 05 Jan 17 13:34:52 +0100
        </pubDate></item></channel></rss>""",
        content_type="application/rss+xml",
    )
    assert [link.url for link in page.outlinks] == ["http://e.test/g1", "http://e.test/l3"]
    assert page.outlinks[1].modified_time == datetime(2017, 1, 5, 12, 34, 52, tzinfo=UTC)
    assert page.language == "en"


def test_a_broken_feed_gives_what_it_has(parse):
    page = parse(
        "<rss><channel><title>t & u</title><item><link>/a</link></item><item><link>/b",
        content_type="text/xml",
    )
    assert page.status is ParseStatus.SUCCESS
    assert page.outlinks[0].url == "http://e.test/a"
    assert page.reason
    assert page.metadata["parser.stopped"] == page.reason


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("2004-12-23T18:00:15+00:00", datetime(2004, 12, 23, 18, 0, 15, tzinfo=UTC)),
        ("2004-12-23T18:00Z", datetime(2004, 12, 23, 18, tzinfo=UTC)),
        ("2004-12-23 18:00:15.123456789-0130", datetime(2004, 12, 23, 19, 30, 15, 123456, UTC)),
        ("2004-12", datetime(2004, 12, 1, tzinfo=UTC)),
        ("2004", datetime(2004, 1, 1, tzinfo=UTC)),
        ("25 Jun 2010 15:00:00 PST", datetime(2010, 6, 25, 23, tzinfo=UTC)),
        ("Friday, 25-Jun-10 15:00:00 GMT", datetime(2010, 6, 25, 15, tzinfo=UTC)),
        ("2004-13-01", None),
        ("0000-01-01", None),
        ("", None),
        ("x" * 100, None),
        ("9999-12-31T23:59:59-12:00", None),
    ],
)
def test_dates(text, date):
    assert read_date(text) == date


@pytest.mark.parametrize("text", ["2026-01-02", "1980-01-01", "soon"])
def test_dates_that_are_not_believed(text):
    assert past_date(text, NOW) is None
