"""A small made site, crawled whole: every row of every table is as it was.

A change that is meant to be only faster leaves data/fixed_crawl.json as it is. One that is meant
to change rows is seen in it: the test says where the new rows are, to be looked at and copied.
"""

import gzip
import json
import re
from datetime import timedelta
from hashlib import md5
from pathlib import Path
from typing import Any

import pytest

from crawl_ops.jobs.dedup import dedup
from crawl_ops.jobs.generate import generate
from crawl_ops.jobs.index import index
from crawl_ops.jobs.inject import inject
from crawl_ops.jobs.invertlinks import invertlinks

GOLDEN = Path(__file__).parent / "data" / "fixed_crawl.json"
PARTS = ("crawl_generate", "crawl_fetch", "content", "crawl_parse", "parse_data", "parse_text",
         "rejected", "robots")  # fmt: skip
TABLES = ("crawldb", "linkdb", "hostdb")
# Keys hang on the port of the server, attempts and times of an answer on the moment.
VOLATILE = {"k", "slot", "from_k", "attempt", "response_ms", "position", "list"}
SEEDS = ("http://a.test:PORT/", "http://b.test:PORT/start", "http://c.test:PORT/",
         "http://d.test:PORT/")  # fmt: skip
LONG = "<p>" + "long text " * 2_000


def made_site(site, names) -> None:
    """Four hosts with a page of every kind that fetch and parse treat in a way of its own."""
    for number, host in enumerate("abcd", 2):
        site.listen(f"127.0.0.{number}")
        names[f"{host}.test"] = f"127.0.0.{number}"
    _pages(site)
    _answers(site)
    _robots(site)


def _pages(site) -> None:
    def page(path, body, host="a.test", **headers):
        site.page(path, body, host, **headers)

    links = ["two.html", "gone.html", "moved", "packed", "chunks", "cut", "broken", "down",
             "pic.png", "latin", "noindex", "nofollow", "copy?of=two", "feed.xml", "plain.txt",
             "late", "private/x", "refresh", "two.html#part", "mailto:x@a.test"]  # fmt: skip
    anchors = "".join(f'<a href="{link}">to {link[:9]}</a>\n' for link in links)
    page("/", f"<html lang=en><title>A &amp; more</title><h1>Start</h1>{anchors}",
         etag='"one"', last_modified="Sun, 01 Feb 2026 00:00:00 GMT")  # fmt: skip
    two = '<title>Two</title><link rel=canonical href="/two.html"><p>Same text <a href="/">up</a>'
    page("/two.html", two)
    page("/copy?of=two", two)
    page("/latin", "<title>Caf\xe9</title><p>\xfcber".encode("latin-1"),
         content_type="text/html; charset=iso-8859-1")  # fmt: skip
    page("/noindex", '<meta name=robots content="noindex"><a href="/only-here">x</a>')
    page("/nofollow", "<title>n</title><a href=/never>x</a>", x_robots_tag="nofollow")
    page("/only-here", "<p>found")
    page("/refresh", '<meta http-equiv=refresh content="0; url=/two.html">')
    page("/plain.txt", "just text", content_type="text/plain")
    page("/pic.png", b"\x89PNG\r\n\x1a\n" + b"\0" * 40, content_type="image/png")
    feed = "<rss version='2.0'><channel><title>F</title><item><link>/from-feed</link></item>"
    page("/feed.xml", feed + "</channel></rss>", content_type="application/rss+xml")
    page("/from-feed", "<p>fed")
    page("/start", '<title>B</title><base href="/dir/"><a href="x.html" rel=nofollow>n</a>'
         '<a href="y.html"> y  page </a>', host="b.test")  # fmt: skip
    page("/dir/y.html", "<title>Y</title>" + LONG, host="b.test")
    page("/s1.html", "<p>by sitemap", host="b.test")
    page("/", "<title>denied</title>", host="c.test")
    page("/", "<title>D</title><a href=x>x</a>", host="d.test")
    page("/elsewhere", "<title>E</title>", host="d.test")


def _answers(site) -> None:
    to = f"http://d.test:{site.port}/elsewhere"
    packed = gzip.compress(b"<title>Packed</title><p>gz", mtime=0)
    chunks = b"6\r\n<title\r\n9;x=y\r\n>Chunked<\r\n7\r\n/title>\r\n0\r\nT: x\r\n\r\n"
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
    raw = {
        "/moved": site.reply(301, "moved", location="hop"),
        "/hop": site.reply(302, "", location=to),
        "/packed": site.reply(200, packed, content_encoding="gzip"),
        "/chunks": head + b"Transfer-Encoding: chunked\r\nX-Two: 1\r\nX-Two: \xe9\r\n\r\n" + chunks,
        "/cut": head.replace(b"1.1", b"1.0") + b"Content-Length: 900\r\n\r\n<p>half",
        "/broken": site.reply(200, packed[:-12], content_encoding="gzip"),
        "/down": site.reply(500, "no"),
        "/late": site.reply(410, "gone"),
    }
    for path, reply in raw.items():
        site.put(path, reply, "a.test")


def _robots(site) -> None:
    rules = "User-agent: *\nDisallow: /private\n"
    sitemap = f"Sitemap: http://b.test:{site.port}/map.xml\n"
    site.page("/robots.txt", rules, "a.test", content_type="text/plain")
    site.page("/robots.txt", rules + sitemap, "b.test", content_type="text/plain")
    site.page("/robots.txt", "User-agent: *\nDisallow: /", "c.test", content_type="text/plain")
    site.page("/robots.txt", "busy", "d.test", status=404)
    site.page("/map.xml", '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>'
              f"http://b.test:{site.port}/s1.html</loc><priority>0.7</priority></url></urlset>",
              "b.test", content_type="application/xml")  # fmt: skip


CONF = {
    "indexer.writers": "csv",
    "indexer.csv.fields": "id,title,host,type,digest,boost,content",
    "http.content.limit": 10_000,
    "fetcher.threads.fetch": 4,
    "linkdb.ignore.internal.links": False,
    "urlfilter.regex.rules": "-/late\n-/elsewhere\n+.",
}


@pytest.fixture
def crawled(site, names, round_of) -> dict[str, list[Any]]:
    """The rows of all tables after two rounds, without what is volatile."""
    made_site(site, names)
    crawl, now, config = round_of.crawl, round_of.now, round_of.config(**CONF)
    inject(crawl, config, [seed.replace("PORT", str(site.port)) for seed in SEEDS], now)
    for depth in (1, 2):
        at = round_of.now = round_of.given.now = now + timedelta(hours=depth)
        segment = generate(crawl, config, at, run_id="fixed", depth=depth).segment
        round_of.fetch(segment, CONF, clock=lambda at=at: at)
        round_of.parse(segment, CONF)
        round_of.given.update(segment)
    invertlinks(crawl, config, None, now)
    index(crawl, config, None, now)
    dedup(crawl, config, now)
    found = {name: list(crawl.query(config, f"SELECT * FROM {name}")) for name in (*TABLES, *PARTS)}
    lines = (crawl.index_location / "csv" / "nutch.csv").read_text("utf-8").splitlines()
    return normal({**found, "index": [{"line": line} for line in lines]}, site.port,
                  crawl.segments())  # fmt: skip


def normal(
    tables: dict[str, list[dict[str, Any]]], port: int, segments: list[str]
) -> dict[str, list[Any]]:
    """Rows sorted, without volatile columns and NULLs; port and segments by what they stand for."""
    found = {}
    for name, rows in tables.items():
        texts = []
        for row in rows:
            kept = {c: v for c, v in row.items() if c not in VOLATILE and v is not None}
            text = json.dumps(kept, sort_keys=True).replace(str(port).encode().hex(), "PORT")
            text = re.sub(rf"\b{port}\b", "PORT", text)
            for number, segment in enumerate(segments, 1):
                text = text.replace(segment, f"SEGMENT{number}")
            texts.append(_short(text))
        found[name] = [json.loads(text) for text in sorted(texts)]
    return found


def _short(text: str) -> str:
    """Long values by their digest."""
    row = json.loads(text)
    for column, value in row.items():
        if isinstance(value, str) and len(value) > 400:
            row[column] = f"{len(value)} characters, md5 {md5(value.encode()).hexdigest()}"
    return json.dumps(row, sort_keys=True)


def test_every_row_is_as_it_was(crawled, tmp_path):
    golden = json.loads(GOLDEN.read_text("utf-8"))
    new = tmp_path / GOLDEN.name
    parts = []
    for name, rows in crawled.items():
        lines = ",\n".join(json.dumps(row, sort_keys=True) for row in rows)
        parts.append(f'"{name}": [\n{lines}\n]')
    new.write_text("{\n" + ",\n".join(parts) + "\n}\n", "utf-8")
    for name, rows in crawled.items():
        assert rows == golden.get(name), f"{name} has changed; the new rows are in {new}"
