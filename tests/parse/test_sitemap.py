import gzip
from datetime import UTC, datetime

import pytest

from crawl_ops.model import LinkKind, ParseStatus
from crawl_ops.parse.sitemap import CHANGE_FREQUENCIES_S, location_is_below, locations

URL = "http://e.test/sm.xml"
NOW = datetime(2026, 1, 1, tzinfo=UTC)


def urlset(*urls):
    body = "".join(f"<url>{url}</url>" for url in urls)
    return f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{body}</urlset>'.encode()


def names(found):
    return [location.url for location in found.locations]


def test_documents_are_read_as_crawler_commons_expects(facts):
    for fact in facts("sitemaps.jsonl", what="document"):
        found = locations(
            fact["bytes"], fact["url"], strict=fact["strict"], lenient=fact["lenient"]
        )
        wanted, note = fact["expected"], fact["name"]
        if "throws" in wanted:
            assert found.kind == "invalid", note
            assert found.reason, note
            continue
        assert (found.kind == "index") == wanted.get("is_index", False), note
        count = wanted.get("url_count", wanted.get("sitemap_count"))
        assert count is None or len(found.locations) == count, note
        assert set(wanted.get("sitemaps_contain", ())) <= set(names(found)), note
        if "url[0]" in wanted:
            assert names(found)[0] == wanted["url[0]"], note
        if "entries" in wanted:
            assert [as_entry(location) for location in found.locations] == [
                [url, date and date[:10], frequency and CHANGE_FREQUENCIES_S[frequency], priority]
                for url, date, frequency, priority in wanted["entries"]
            ], note


def as_entry(location):
    date = location.modified_time
    return [location.url, date and f"{date:%Y-%m-%d}", location.interval_s, location.priority]


def test_dates_of_feeds_are_read_as_crawler_commons_expects(facts):
    for fact in facts("sitemaps.jsonl", what="date"):
        found = locations(fact["bytes"], "http://www.example.com/rss.xml")
        location = found.locations[fact["item"]]
        date = location.modified_time
        assert {
            "link": location.url,
            "epoch_ms": date and int(date.timestamp() * 1000),
        } == fact["expected"]


def test_where_locations_may_lie(facts):
    for fact in facts("sitemaps.jsonl", what="below"):
        assert location_is_below(fact["sitemap"], fact["url"]) == fact["expected"]


def test_strictness_leaves_out_and_counts():
    content = urlset("<loc>http://e.test/a</loc>", "<loc>http://o.test/b</loc>")
    strict = locations(content, URL)
    assert names(strict) == ["http://e.test/a"]
    assert strict.rejected == {"sitemap.strict.parsing": 1}
    assert names(locations(content, URL, strict=False)) == ["http://e.test/a", "http://o.test/b"]


@pytest.mark.parametrize(
    "content",
    [
        b"\xef\xbb\xbf\n  <?xml version='1.0' encoding='UTF-8'?>" + urlset("<loc> /p\n</loc>"),
        gzip.compress(urlset("<loc>/p</loc>"), mtime=0),
        urlset("<loc>/p</loc>").decode().encode("utf-16"),
        b"<s:urlset xmlns:s='https://www.sitemaps.org/x/'><s:url><s:loc>/p</s:loc></s:url></s:urlset>",
        b"<x:urlset><x:url><x:loc>/p</x:loc></x:url></x:urlset>",
        urlset("<loc><![CDATA[/p]]></loc>"),
        urlset("<LOC>/p</LOC>"),
        urlset("<loc>/p</loc><i:image xmlns:i='i'><i:loc>/i.png</i:loc></i:image>"),
        urlset("<loc>/p</loc>", "<loc></loc>", "<loc>  </loc>", ""),
        urlset("<loc>/p</loc><loc>/second</loc>"),
        urlset("<loc>/p</loc>")[:-12],
        urlset("<loc>/p</loc>", "<loc>/cut")[:-17],
        b"http://e.test/p\n",
        b"\xef\xbb\xbfe.test/p\r\nnot a url\n\n",
        b"<rss><channel><item><link>/p</link></item></channel></rss>",
        b"<feed><entry><link rel='self' href='/s'/><link href='/p'/></entry></feed>",
    ],
)
def test_forms_of_sitemaps(content):
    assert names(locations(content, URL)) == ["http://e.test/p"]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"<html><body>404</body></html>",
        b"not a sitemap at all",
        b"\x1f\x8b not gzip",
        b"\x89PNG\r\n\x1a\n",
        b"<urlset",
        b"<?xml version='1.0'?>",
    ],
)
def test_what_is_no_sitemap_says_why(content):
    found = locations(content, URL)
    assert found.locations == []
    assert found.reason


def test_an_index_names_sitemaps_anywhere():
    content = b"<sitemapindex><sitemap><loc>http://cdn.test/s.xml</loc></sitemap></sitemapindex>"
    found = locations(content, URL)
    assert (found.kind, names(found)) == ("index", ["http://cdn.test/s.xml"])


def test_a_cut_gzip_gives_what_is_there_and_says_so():
    content = gzip.compress(urlset(*(f"<loc>/{n * 7919 % 10007}</loc>" for n in range(5000))))
    found = locations(content[: len(content) // 2], URL)
    assert 1000 < len(found.locations) < 5000
    assert found.reason


def test_size_is_bounded_after_unpacking():
    bomb = gzip.compress(b"<urlset>" + b" " * 5_000_000)
    found = locations(bomb, URL, size_max=10_000)
    assert found.locations == []
    assert found.reason


def test_no_entity_and_no_file_is_read(tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("http://e.test/secret")
    content = f"""<!DOCTYPE urlset [<!ENTITY f SYSTEM "file://{secret}"><!ENTITY a "/aaaa">
      <!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>
      <urlset xmlns:xi="http://www.w3.org/2001/XInclude"><url><loc>&f;</loc></url>
      <url><loc>&b;</loc></url>
      <url><loc><xi:include href="file://{secret}" parse="text"/></loc></url>
      <url><loc>/p</loc></url></urlset>""".encode()
    assert names(locations(content, URL)) == ["http://e.test/p"]
    assert locations(content, URL, lenient=False).kind == "invalid"


@pytest.mark.parametrize(
    ("extra", "expected"),
    [
        ("<lastmod>2025-06-01</lastmod>", (datetime(2025, 6, 1, tzinfo=UTC), None, None)),
        ("<lastmod>2026-06-01</lastmod>", (None, None, None)),
        ("<lastmod>yesterday</lastmod>", (None, None, None)),
        ("<changefreq> Weekly </changefreq><priority>0.7</priority>", (None, 604_800, 0.7)),
        ("<changefreq>often</changefreq><priority>7</priority>", (None, None, None)),
        ("<priority>nan</priority>", (None, None, None)),
    ],
)
def test_what_is_said_of_a_location(extra, expected):
    found = locations(urlset(f"<loc>/p</loc>{extra}"), URL, now=NOW).locations[0]
    assert (found.modified_time, found.interval_s, found.priority) == expected


def test_a_fetched_sitemap_is_a_page_of_links(parse):
    content = urlset("<loc>/a</loc><priority>0.5</priority>", "<loc>http://o.test/</loc>")
    for content_type in ("application/xml", "text/xml", "text/html"):
        page = parse(content, URL, content_type, fetch_time=NOW)
        assert (page.status, page.kind) == (ParseStatus.SUCCESS, "sitemap")
        link = page.outlinks[0]
        assert (link.url, link.kind, link.priority) == ("http://e.test/a", LinkKind.SITEMAP, 0.5)
        assert page.rejected == {"sitemap.strict.parsing": 1}
        assert page.outlinks_found == 2
    packed = parse(gzip.compress(content), URL, "application/x-gzip")
    assert [link.url for link in packed.outlinks] == ["http://e.test/a"]
    lenient = parse(content, URL, "text/xml", properties={"sitemap.strict.parsing": False})
    assert len(lenient.outlinks) == 2


def test_a_text_file_called_a_sitemap_is_one(parse):
    content = b"http://e.test/a\nhttp://e.test/b\n"
    for body, content_type in (
        (content, "text/plain"),
        (gzip.compress(content), "application/gzip"),
    ):
        page = parse(body, "http://e.test/my-sitemap.txt?x", content_type)
        assert page.kind == "sitemap"
        assert [link.url for link in page.outlinks] == ["http://e.test/a", "http://e.test/b"]
    assert parse(content, "http://e.test/urls.txt", "text/plain").kind == "page"
    assert parse(b"about it", "http://e.test/sitemap.txt", "text/plain").kind == "page"
