"""parse: text, metadata and links of each page; what is refused is kept with its rule."""

import json
import threading
from datetime import timedelta

import pyarrow.parquet as pq
import pytest

from crawl_ops.errors import NotFoundError, StoppedError, StoreError
from crawl_ops.jobs.parsing.known import KnownUrls
from crawl_ops.parse.html import HtmlParser
from crawl_ops.storage.segment import Segment

PAGE = "http://a.test/dir/page"


@pytest.fixture
def fetched(round_of):
    """A segment with content as fetch leaves it; pages are rows with at least a url and content."""

    def make(*files, finished=True, name="20260301000000"):
        segment = round_of.crawl.new_segment(name)
        segment.publish({"lists": [{"list": 0}]})
        for number, pages in enumerate(files):
            rows = [content(round_of, page) for page in pages]
            stem = f"a.{number:04}"
            segment.write_part("content", 0, stem, rows)
            rows = [round_of.given.fetched(row["url"]) for row in rows]
            segment.write_part("crawl_fetch", 0, stem, rows)
        if finished:
            segment.finish("fetch", 0, {"counts": {}})
        return name

    return make


def content(round_of, page):
    page = {"content": page["html"].encode(), **page} if "html" in page else page
    page = {key: value for key, value in page.items() if key != "html"}
    return {
        **round_of.given.identity(page["url"]),
        "attempt": "a",
        "base_url": page["url"],
        "fetch_time": round_of.now,
        "http_status": 200,
        "content_type": "text/html",
        "charset_hint": "utf-8",
        "headers": "[]",
        "score": 1.0,
        **page,
    }


@pytest.fixture
def one(round_of, fetched):
    """Parses one page; gives its parse_data row, its links and its rejected rows."""

    def run(html, conf=None, url=PAGE, **page):
        segment = fetched([{"url": url, "html": html, **page}])
        round_of.parse(segment, conf)
        (data,) = round_of.rows(segment, "parse_data")
        links = sorted(round_of.rows(segment, "crawl_parse"), key=lambda row: row["position"])
        return data, links, round_of.rows(segment, "rejected")

    return run


def anchors(*hrefs):
    return "".join(f"<a href='{href}'>to {href}</a>" for href in hrefs)


def test_a_page_gives_text_title_links_and_a_signature(round_of, fetched):
    html = "<title>T</title><p>Some text</p><a href='/x' rel='author'>an anchor</a>"
    segment = fetched([{"url": PAGE, "html": html, "depth": 2, "max_depth": 7}])
    report = round_of.parse(segment)
    assert report.counts == {"success": 1, "links": 1}
    (data,) = round_of.rows(segment, "parse_data")
    assert (data["title"], data["parse_status"], data["kind"]) == ("T", "success", "page")
    assert (data["outlinks_found"], data["outlinks_kept"]) == (1, 1)
    assert data["outlinks_rejected"] is None
    assert len(data["signature"]) == 16
    (text,) = round_of.rows(segment, "parse_text")
    assert "Some text" in text["text"]
    (link,) = round_of.rows(segment, "crawl_parse")
    assert link == {
        **dict.fromkeys(link),
        **dict(zip(("k", "slot"), key(round_of, "http://a.test/x"), strict=True)),
        "to_url": "http://a.test/x",
        "to_host": "a.test",
        "to_domain": "a.test",
        "from_k": key(round_of, PAGE)[0],
        "from_url": PAGE,
        "from_host": "a.test",
        "attempt": "a",
        "kind": "link",
        "position": 0,
        "anchor": "an anchor",
        "rel": "author",
        "score": 1.0,
        "depth": 3,
        "max_depth": 7,
    }


def key(round_of, url):
    identity = round_of.given.identity(url)
    return identity["k"], identity["slot"]


def test_links_are_normalized_and_doubles_are_kept(one):
    _, links, _ = one(anchors("/x", "/y/../x", "/x#part"))
    assert [link["to_url"] for link in links] == ["http://a.test/x"] * 3
    assert [link["position"] for link in links] == [0, 1, 2]


def test_links_are_in_the_order_of_their_targets(round_of, fetched):
    pages = [
        {"url": f"http://a.test/{n}", "html": anchors(*(f"http://h{m}.test/" for m in range(9)))}
        for n in range(9)
    ]
    segment = fetched(pages)
    round_of.parse(segment)
    rows = round_of.rows(segment, "crawl_parse")
    assert len(rows) == 81
    order = [(row["slot"], row["k"], row["from_url"], row["position"]) for row in rows]
    assert order == sorted(order)


def test_filtered_links_are_counted_and_kept_with_their_rule(round_of, one):
    data, links, rejected = one(
        anchors("/x", "/no/1", "/no/./2", "mailto:me@a.test"),
        {"urlfilter.regex.rules": "-/no/\n+."},
    )
    assert [link["to_url"] for link in links] == ["http://a.test/x"]
    assert json.loads(data["outlinks_rejected"]) == {"scheme=mailto": 1, "urlfilter.regex": 2}
    assert (data["outlinks_found"], data["outlinks_kept"]) == (4, 1)
    urls = {row["url"]: row for row in rejected}
    assert set(urls) == {"http://a.test/no/1", "http://a.test/no/2"}
    row = urls["http://a.test/no/2"]
    assert (row["rule"], row["detail"], row["step"]) == ("urlfilter.regex", "-/no/", "parse")
    assert (row["from_url"], row["k"]) == (PAGE, key(round_of, "http://a.test/no/2")[0])


def test_refused_links_need_not_be_kept(one):
    data, _, rejected = one(
        anchors("/no"), {"urlfilter.regex.rules": "-.", "parse.store.rejected": False}
    )
    assert rejected == []
    assert json.loads(data["outlinks_rejected"]) == {"urlfilter.regex": 1}


def test_without_filters_and_normalizers_links_are_as_they_are(one):
    conf = {"parse.filter.urls": False, "parse.normalize.urls": False}
    _, links, _ = one(anchors("/x#f"), {**conf, "urlfilter.regex.rules": "-."})
    assert [link["to_url"] for link in links] == ["http://a.test/x#f"]


@pytest.mark.parametrize(
    ("conf", "kept", "rule"),
    [
        ({}, ["http://a.test/x", "http://b.a.test/", "http://c.test/"], None),
        ({"db.ignore.external.links": True}, ["http://a.test/x"], "db.ignore.external.links"),
        (
            {"db.ignore.external.links": True, "db.ignore.external.links.mode": "byDomain"},
            ["http://a.test/x", "http://b.a.test/"],
            "db.ignore.external.links",
        ),
        (
            {"db.ignore.internal.links": True},
            ["http://b.a.test/", "http://c.test/"],
            "db.ignore.internal.links",
        ),
    ],
)
def test_scope(one, conf, kept, rule):
    _, links, rejected = one(anchors("/x", "http://b.a.test/", "http://c.test/"), conf)
    assert [link["to_url"] for link in links] == kept
    assert {row["rule"] for row in rejected} == ({rule} if rule else set())


def test_only_so_many_outlinks_that_are_kept_count(one):
    html = anchors("/no", *(f"/{n}" for n in range(6)))
    conf = {"db.max.outlinks.per.page": 4, "urlfilter.regex.rules": "-/no\n+."}
    data, links, rejected = one(html, conf)
    assert [link["to_url"][-1] for link in links] == list("0123")
    assert [(row["rule"], row["detail"]) for row in rejected[1:]] == [
        ("db.max.outlinks.per.page", "4")
    ] * 2
    assert data["outlinks_kept"] == 4


@pytest.mark.parametrize(("limit", "kept"), [(-1, 300), (0, 0)])
def test_no_limit_and_a_limit_of_nothing(one, limit, kept):
    _, links, _ = one(anchors(*range(300)), {"db.max.outlinks.per.page": limit})
    assert len(links) == kept


def test_long_links_and_links_to_the_page_itself(one):
    data, links, rejected = one(anchors("/" + "x" * 100, PAGE, "/y"), {"db.max.outlink.length": 64})
    assert [link["to_url"] for link in links] == ["http://a.test/y"]
    assert [row["rule"] for row in rejected] == ["db.max.outlink.length"]
    assert len(rejected[0]["url"]) == 64
    assert json.loads(data["outlinks_rejected"])["link to itself"] == 1


def test_a_long_base_makes_all_links_long_and_none_is_looked_up(one, monkeypatch):
    looked_up = []
    monkeypatch.setattr(KnownUrls, "look", lambda _, url: looked_up.append(url))
    page = f"<base href='http://a.test/{'a' * 9_000}/'>" + "<a href=x>" * 300
    data, links, rejected = one(page, {"db.max.outlinks.per.page": 4})
    assert (links, looked_up) == ([], [])
    assert {row["rule"] for row in rejected} == {"db.max.outlink.length"}
    assert json.loads(data["outlinks_rejected"]) == {"db.max.outlink.length": 300}


# scoring


@pytest.mark.parametrize(
    ("count_filtered", "scores"),
    [(False, [0.5, 0.5]), (True, [0.25, 0.25])],  # Nutch's OPICScoringFilter
)
def test_opic_shares(one, count_filtered, scores):
    conf = {
        "db.score.count.filtered": count_filtered,
        "urlfilter.regex.rules": "-/no\n+.",
    }
    _, links, _ = one(anchors("/1", "http://b.test/", "/no1", "/no2"), conf)
    assert [link["score"] for link in links] == scores


def test_opic_inside_and_outside(one):
    conf = {"db.score.link.internal": 0.5, "db.score.link.external": 2.0}
    _, links, _ = one(anchors("/1", "http://b.test/"), conf, score=4.0)
    assert [link["score"] for link in links] == [1.0, 4.0]


def test_without_opic_links_bring_nothing(one):
    _, links, _ = one(anchors("/1"), {"scoring.filter.order": "depth"}, depth=1)
    assert [link["score"] for link in links] == [0.0]


@pytest.mark.parametrize(
    ("depth", "own", "kept", "detail"),
    [
        (1, None, 1, None),
        (3, None, 0, "depth 3 of 3"),
        (3, 5, 1, None),
        (2, 2, 0, "depth 2 of 2"),
        (None, None, 0, "the page has no depth"),
    ],
)
def test_depth(one, depth, own, kept, detail):
    conf = {"scoring.filter.order": "opic depth", "scoring.depth.max": 3}
    data, links, rejected = one(anchors("/1"), conf, depth=depth, max_depth=own)
    assert data["outlinks_kept"] == len(links) == kept
    assert [row["detail"] for row in rejected] == ([detail] if detail else [])
    if kept:
        assert (links[0]["depth"], links[0]["max_depth"]) == (depth + 1, own)


# other links


def test_refresh_and_canonical(one):
    html = (
        "<head><meta http-equiv=refresh content='0; url=/new'>"
        "<link rel=canonical href='http://b.test/real'></head>" + anchors("/x")
    )
    data, links, _ = one(html, depth=2)
    assert data["parse_status"] == "success_redirect"
    assert (data["refresh_url"], data["canonical_url"]) == (
        "http://a.test/new",
        "http://b.test/real",
    )
    assert [link["kind"] for link in links] == ["refresh", "canonical", "link"]
    refresh, canonical, link = links
    assert (refresh["score"], canonical["score"], link["score"]) == (0.0, 0.0, 1.0)
    assert (refresh["depth"], canonical["depth"], link["depth"]) == (2, 2, 3)
    assert data["outlinks_kept"] == 2, "a canonical of the head is an outlink"


def test_a_canonical_of_the_headers_is_a_link_too(one):
    headers = json.dumps([["Link", "<http://b.test/real>; rel=canonical"]])
    data, links, _ = one("<p>text", headers=headers)
    assert data["canonical_url"] == "http://b.test/real"
    assert [(link["kind"], link["to_url"]) for link in links] == [
        ("canonical", "http://b.test/real")
    ]
    assert data["outlinks_kept"] == 0


def test_a_page_that_is_its_own_canonical_names_itself(one):
    data, links, _ = one(f"<link rel=canonical href='{PAGE}'>")
    assert data["canonical_url"] == PAGE
    assert links == []


@pytest.mark.parametrize(
    "conf",
    [
        {"urlfilter.regex.rules": "-^http://b\n+."},
        {"db.ignore.external.links": True, "db.ignore.also.redirects": True},
    ],
)
def test_a_canonical_that_is_refused_is_none(one, conf):
    data, links, rejected = one("<link rel=canonical href='http://b.test/'>", conf)
    assert data["canonical_url"] is None
    assert links == []
    assert [row["url"] for row in rejected] == ["http://b.test/"]


def test_a_sitemap_gives_links_with_what_it_says_of_them(round_of, one):
    later = (round_of.now + timedelta(days=9)).date()
    body = (
        "<urlset><url><loc>http://a.test/dir/1</loc><lastmod>2026-02-01</lastmod>"
        "<changefreq>daily</changefreq><priority>0.8</priority></url>"
        f"<url><loc>http://a.test/dir/2</loc><lastmod>{later}</lastmod>"
        "<changefreq>yearly</changefreq></url><url><loc>http://b.test/3</loc></url></urlset>"
    )
    url = "http://a.test/dir/sitemap.xml"
    data, links, _ = one(body, url=url, content_type="text/xml")
    assert data["kind"] == "sitemap"
    assert [(link["kind"], link["to_url"]) for link in links] == [
        ("sitemap", "http://a.test/dir/1"),
        ("sitemap", "http://a.test/dir/2"),
    ]
    assert links[0]["interval_s"] == 86_400
    assert links[1]["interval_s"] == 7_776_000, "db.fetch.interval.max"
    assert links[0]["score"] == pytest.approx(0.8)
    assert links[0]["modified_time"].date().isoformat() == "2026-02-01"
    assert links[1]["modified_time"] is None, "in the future"
    assert json.loads(data["outlinks_rejected"]) == {"sitemap.strict.parsing": 1}


def test_a_sitemap_index_names_other_hosts_only_unless_strict(one, round_of, fetched):
    body = "<sitemapindex><sitemap><loc>http://b.test/s.xml</loc></sitemap></sitemapindex>"
    page = {"url": "http://a.test/i.xml", "html": body, "content_type": "text/xml"}
    strict = fetched([page])
    round_of.parse(strict)
    assert round_of.rejected(strict)["http://b.test/s.xml"]["rule"] == "sitemap.strict.parsing"
    loose = fetched([page], name="20260301000001")
    round_of.parse(loose, {"sitemap.strict.parsing": False})
    assert [link[2] for link in round_of.links(loose)] == ["http://b.test/s.xml"]


def test_a_feed_gives_its_entries(one):
    body = (
        "<rss version='2.0'><channel><title>F</title><item><title>One</title>"
        "<link>http://a.test/1</link></item></channel></rss>"
    )
    data, links, _ = one(body, content_type="application/rss+xml", score=2.0)
    assert data["kind"] == "feed"
    (entry,) = (link for link in links if link["to_url"] == "http://a.test/1")
    assert (entry["kind"], entry["anchor"]) == ("feed", "One")
    assert entry["score"] > 0


# what pages ask for


def test_noindex_and_nofollow(one):
    html = "<meta name=robots content='noindex, nofollow, noarchive'><p>text" + anchors("/x")
    data, links, _ = one(html)
    assert (data["noindex"], data["nofollow"], data["noarchive"]) == (True, True, True)
    assert links == []
    assert json.loads(data["outlinks_rejected"]) == {"robots=nofollow": 1}


def test_the_header_counts_too(one):
    data, links, _ = one(anchors("/x"), headers=json.dumps([["X-Robots-Tag", "noindex"]]))
    assert (data["noindex"], len(links)) == (True, 1)


def test_text_need_not_be_stored(round_of, fetched):
    segment = fetched([{"url": PAGE, "html": "<p>text"}])
    round_of.parse(segment, {"parser.store.text": False})
    assert round_of.rows(segment, "parse_text") == []
    assert len(round_of.rows(segment, "parse_data")) == 1


@pytest.mark.parametrize(("skip", "status"), [(True, "notparsed"), (False, "success")])
def test_what_is_cut_is_skipped_if_wanted(one, skip, status):
    data, links, _ = one(anchors("/x"), {"parser.skip.truncated": skip}, truncated="length")
    assert (data["parse_status"], data["truncated"]) == (status, "length")
    assert len(links) == (0 if skip else 1)
    assert ("truncated" in (data["reason"] or "")) == skip


def test_a_type_without_a_parser_is_a_row_with_the_reason(one):
    data, links, _ = one("x", content_type="image/png")
    assert data["parse_status"] == "notparsed"
    assert data["reason"] == "no parser for image/png"
    assert links == []


# a parser that fails

MEAN = """
import os, time
from crawl_ops.parse.html import HtmlParser
from crawl_ops.storage.segment import Segment

class MeanParser(HtmlParser):
    def parse(self, page):
        if b"raise" in page.content:
            raise RuntimeError("bad page")  # the built-in parser is asked then
        if b"hang" in page.content:
            time.sleep(60)
        if b"crash" in page.content:
            os._exit(7)
        return super().parse(page)
"""


def test_a_page_that_hangs_or_crashes_costs_its_own_row(round_of, fetched, tmp_path):
    (tmp_path / "mean.py").write_text(MEAN)
    words = ["good", "raise", "good", "hang", "good", "crash", "good"]
    segment = fetched(
        [{"url": f"http://a.test/{n}", "html": f"<p>{word}"} for n, word in enumerate(words)]
    )
    conf = {
        "parser.processes": 1,
        "parser.timeout": 1.0,
        "plugin.folders": str(tmp_path),
        "parse.plugins": "text/html=mean:MeanParser",
    }
    round_of.parse(segment, conf)
    rows = {row["url"]: row for row in round_of.rows(segment, "parse_data")}
    statuses = [rows[f"http://a.test/{n}"]["parse_status"] for n in range(7)]
    ok = "success"
    assert statuses == [ok, ok, ok, "failed_timeout", ok, "failed", ok]
    assert "parser.timeout" in rows["http://a.test/3"]["reason"]
    assert "exit code 7" in rows["http://a.test/5"]["reason"]
    assert all(row["signature"] for row in rows.values())


# rerun


def test_a_file_that_was_parsed_is_not_parsed_again(round_of, fetched, monkeypatch):
    files = [[{"url": f"http://a.test/{n}", "html": anchors(f"/x{n}")}] for n in range(4)]
    segment = fetched(*files)
    stop = threading.Event()
    parsed = []
    real = HtmlParser.parse

    def parse(self, page):
        parsed.append(page.url)
        if len(parsed) == 3:
            stop.set()
        return real(self, page)

    monkeypatch.setattr(HtmlParser, "parse", parse)
    with pytest.raises(StoppedError):
        round_of.parse(segment, stop=stop)
    assert round_of.crawl.segment(segment).done("parse", 0) is None
    assert round_of.parse(segment).counts == {"success": 4, "links": 4}
    assert parsed == [f"http://a.test/{n}" for n in (0, 1, 2, 2, 3)]
    assert len(round_of.rows(segment, "parse_data")) == 4
    assert len(round_of.rows(segment, "crawl_parse")) == 4
    again = round_of.parse(segment)
    assert again.details["already_done"]
    assert again.counts == {"success": 4, "links": 4}
    assert len(parsed) == 5


def test_killed_between_the_parts_of_a_file_it_is_parsed_once_more(round_of, fetched, monkeypatch):
    segment = fetched([{"url": PAGE, "html": anchors("/x")}])
    real = Segment.write_table

    def write(self, part, number, stem, table):
        if part == "parse_data":
            raise KeyboardInterrupt
        return real(self, part, number, stem, table)

    with monkeypatch.context() as patched:
        patched.setattr(Segment, "write_table", write)
        with pytest.raises(KeyboardInterrupt):
            round_of.parse(segment)
    assert round_of.rows(segment, "parse_data") == []
    round_of.parse(segment)
    assert len(round_of.links(segment)) == 1


def test_the_same_content_gives_the_same_files(round_of, fetched):
    pages = [{"url": f"http://a.test/{n}", "html": anchors("/x", "/y", n)} for n in range(20)]
    seen = []
    for name in ("20260301000000", "20260301000001"):
        segment = fetched(pages, name=name)
        round_of.parse(segment)
        found = round_of.crawl.segment(segment)
        seen.append(
            [
                pq.read_table(round_of.crawl.files.location(file.path))
                for part in ("parse_data", "parse_text", "crawl_parse")
                for file in found.part_files(part)
            ]
        )
    assert all(a.equals(b) for a, b in zip(*seen, strict=True))


def test_a_list_without_content(round_of, fetched):
    segment = fetched([])
    assert round_of.parse(segment).counts == {"links": 0}
    assert round_of.crawl.segment(segment).done("parse", 0) is not None


def test_a_list_that_is_not_fetched(round_of, fetched):
    segment = fetched([{"url": PAGE, "html": "x"}], finished=False)
    with pytest.raises(StoreError, match="list 0 is not fetched yet; run fetch"):
        round_of.parse(segment)
    with pytest.raises(NotFoundError, match="no fetch list 3"):
        round_of.parse(segment, partition=3)


def test_broken_pages_cost_their_own_row(round_of, fetched):
    bodies = [b"", b"\0" * 1000, b"<" * 10_000, b"\xff\xfe<\0p\0>\0", b"<a href='http://[/'>x</a>"]
    pages = [{"url": f"http://a.test/{n}", "content": body} for n, body in enumerate(bodies)]
    segment = fetched(pages)
    round_of.parse(segment)
    assert len(round_of.rows(segment, "parse_data")) == len(bodies)
    for part in ("parse_text", "parse_data", "crawl_parse"):
        assert "\0" not in str(round_of.rows(segment, part))
