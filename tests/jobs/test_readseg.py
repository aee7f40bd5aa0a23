"""readseg: the list of segments, and the newest record of a URL."""

import base64
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from crawl_ops.config.load import load
from crawl_ops.config.properties import CrawlConfig
from crawl_ops.errors import NotFoundError
from crawl_ops.jobs import readseg
from crawl_ops.model import JobReport
from crawl_ops.storage.crawl_dir import CrawlDir
from crawl_ops.storage.segment import Segment
from crawl_ops.urls.identity import UrlIdentifier

NOW = datetime(2026, 7, 1, 12, tzinfo=UTC)
PAGE = "http://a.example/"


@pytest.fixture
def config() -> CrawlConfig:
    return load(None, {"http.agent.name": "testbot"})


@pytest.fixture
def crawl(tmp_path: Path) -> CrawlDir:
    return CrawlDir.open(tmp_path / "crawl", create=True)


class Rows:
    """Rows of one crawl, with what every row must have."""

    def __init__(self, crawl: CrawlDir) -> None:
        self._identifier = UrlIdentifier(crawl.seed)

    def key(self, url: str) -> dict[str, Any]:
        found = self._identifier.identify(url)
        return {"k": found.k, "slot": found.slot, "url": url}

    def fetch(self, url: str, **changes: Any) -> dict[str, Any]:
        found = self._identifier.identify(url)
        return {
            **self.key(url),
            "host": found.host,
            "domain": found.domain,
            "list": 0,
            "attempt": "a1",
            "fetch_status": "fetch_success",
            "protocol_status": "success",
            "http_status": 200,
            "fetch_time": NOW,
            "bytes": 3,
            "hops": 0,
            "score": 1.0,
            "interval_s": 60,
            "retries": 0,
            **changes,
        }

    def content(self, url: str, content: bytes, **changes: Any) -> dict[str, Any]:
        return {
            **self.key(url),
            "attempt": "a1",
            "base_url": url,
            "fetch_time": NOW,
            "http_status": 200,
            "content_type": "text/html",
            "headers": json.dumps([["Content-Type", "text/html"]]),
            "content": content,
            "score": 1.0,
            **changes,
        }

    def data(self, url: str, **changes: Any) -> dict[str, Any]:
        return {
            **self.key(url),
            "attempt": "a1",
            "parse_status": "success",
            "kind": "page",
            "title": "once",
            "content_type": "text/html",
            "charset": "utf-8",
            "noindex": False,
            "nofollow": False,
            "noarchive": False,
            "outlinks_found": 0,
            "outlinks_kept": 0,
            "fetch_time": NOW,
            **changes,
        }

    def text(self, url: str, text: str, **changes: Any) -> dict[str, Any]:
        return {**self.key(url), "attempt": "a1", "text": text, **changes}

    def link(self, url: str, to_url: str, position: int, **changes: Any) -> dict[str, Any]:
        source, target = self._identifier.identify(url), self._identifier.identify(to_url)
        return {
            "k": target.k,
            "slot": target.slot,
            "to_url": to_url,
            "to_host": target.host,
            "to_domain": target.domain,
            "from_k": source.k,
            "from_url": url,
            "from_host": source.host,
            "attempt": "a1",
            "kind": "link",
            "position": position,
            "score": 0.0,
            **changes,
        }


@pytest.fixture
def rows(crawl: CrawlDir) -> Rows:
    return Rows(crawl)


def segment(crawl: CrawlDir, name: str, *, urls: int = 1) -> Segment:
    made = crawl.new_segment(name)
    lists = [{"list": 0, "urls": urls, "hosts": 1, "expected_s": 1.0}]
    made.publish({"created": NOW.isoformat(), "run_id": "r", "depth": 1, "lists": lists})
    return made


def fetched_page(crawl: CrawlDir, rows: Rows, name: str, title: str = "once") -> Segment:
    made = segment(crawl, name)
    made.write_part("content", 0, "a1.0000", [rows.content(PAGE, b"abc")])
    made.write_part("crawl_fetch", 0, "a1.0000", [rows.fetch(PAGE)])
    data = rows.data(PAGE, title=title, metadata='{"author": "x"}')
    made.write_part("parse_data", 0, "a1.0000", [data])
    made.write_part("parse_text", 0, "a1.0000", [rows.text(PAGE, "words")])
    return made


def test_a_page_with_all_that_is_known_of_it(
    crawl: CrawlDir, config: CrawlConfig, rows: Rows
) -> None:
    made = fetched_page(crawl, rows, "s1")
    kinds = ("link", "redirect", "sitemap", "refresh", "feed", "canonical")
    links = [
        rows.link(PAGE, f"http://a.example/{kind}", 9 - n, kind=kind, anchor=kind if n else None)
        for n, kind in enumerate(kinds)
    ]
    other = rows.link("http://a.example/other", "http://a.example/x", 0)
    made.write_part("crawl_parse", 0, "a1.0000p", sorted([*links, other], key=lambda r: r["slot"]))
    got = readseg.get(crawl, config, PAGE)
    assert got == {
        "segment": "s1",
        "url": PAGE,
        "fetch_status": "fetch_success",
        "protocol_status": "success",
        "http_status": 200,
        "fetch_time": NOW,
        "reason": None,
        "redirect_url": None,
        "content_segment": "s1",
        "content_type": "text/html",
        "charset": "utf-8",
        "parse_status": "success",
        "title": "once",
        "text": "words",
        "outlinks": [
            {"url": "http://a.example/feed", "anchor": "feed"},
            {"url": "http://a.example/sitemap", "anchor": "sitemap"},
            {"url": "http://a.example/link", "anchor": ""},
        ],
        "metadata": {"author": "x"},
        "content_b64": base64.b64encode(b"abc").decode(),
        "headers": [["Content-Type", "text/html"]],
        "truncated": None,
    }


def test_the_newest_segment_counts(crawl: CrawlDir, config: CrawlConfig, rows: Rows) -> None:
    for name in ("s1", "s2"):
        fetched_page(crawl, rows, name, title=name)
    segment(crawl, "s3").write_part("crawl_fetch", 0, "a1.0000", [rows.fetch(PAGE + "other")])
    newest = readseg.get(crawl, config, PAGE)
    assert newest is not None
    assert (newest["segment"], newest["title"]) == ("s2", "s2")
    named = readseg.get(crawl, config, PAGE, "s1")
    assert named is not None
    assert (named["segment"], named["title"]) == ("s1", "s1")
    assert readseg.get(crawl, config, PAGE, "s3") is None


def test_what_was_not_modified_keeps_its_content(
    crawl: CrawlDir, config: CrawlConfig, rows: Rows
) -> None:
    fetched_page(crawl, rows, "s1")
    row = rows.fetch(
        PAGE, fetch_status="fetch_notmodified", protocol_status="notmodified", http_status=304
    )
    segment(crawl, "s2").write_part("crawl_fetch", 0, "a1.0000", [row])
    got = readseg.get(crawl, config, PAGE)
    assert got is not None
    assert (got["segment"], got["fetch_status"]) == ("s2", "fetch_notmodified")
    assert (got["content_segment"], got["title"], got["text"]) == ("s1", "once", "words")
    assert base64.b64decode(got["content_b64"]) == b"abc"


def test_a_url_is_normalized_and_also_looked_up_as_given(
    crawl: CrawlDir, config: CrawlConfig, rows: Rows
) -> None:
    fetched_page(crawl, rows, "s1")
    odd = "http://a.example/a/../b"  # kept as it is by a crawl that normalizes nothing
    made = segment(crawl, "s2")
    made.write_part("crawl_fetch", 0, "a1.0000", [rows.fetch(odd, reason="odd")])
    normalized = readseg.get(crawl, config, "HTTP://A.example")
    assert normalized is not None
    assert normalized["url"] == PAGE
    as_given = readseg.get(crawl, config, odd)
    assert as_given is not None
    assert (as_given["url"], as_given["reason"]) == (odd, "odd")


@pytest.mark.parametrize("url", ["http://a.example/unknown", "no url", "", "http://[", "\ud800"])
def test_an_unknown_url_has_no_record(
    crawl: CrawlDir, config: CrawlConfig, rows: Rows, url: str
) -> None:
    assert readseg.get(crawl, config, url) is None
    fetched_page(crawl, rows, "s1")
    assert readseg.get(crawl, config, url) is None


def test_of_two_attempts_the_success_counts(
    crawl: CrawlDir, config: CrawlConfig, rows: Rows
) -> None:
    made = fetched_page(crawl, rows, "s1")
    failed = rows.fetch(
        PAGE,
        attempt="a0",
        fetch_status="fetch_retry",
        protocol_status="exception",
        fetch_time=NOW - timedelta(minutes=1),
    )
    made.write_part("crawl_fetch", 0, "a0.0000", [failed])
    late = NOW + timedelta(minutes=1)
    made.write_part("crawl_fetch", 0, "a2.0000", [rows.fetch(PAGE, attempt="a2", fetch_time=late)])
    made.write_part("content", 0, "a2.0000", [rows.content(PAGE, b"late", attempt="a2")])
    got = readseg.get(crawl, config, PAGE)
    assert got is not None
    assert base64.b64decode(got["content_b64"]) == b"abc"


def test_a_segment_that_is_not_there(crawl: CrawlDir, config: CrawlConfig) -> None:
    with pytest.raises(NotFoundError, match="there is no segment s9"):
        readseg.get(crawl, config, PAGE, "s9")


def test_the_list_of_segments(crawl: CrawlDir, config: CrawlConfig, rows: Rows) -> None:
    assert readseg.segments(crawl, config) == []
    made = fetched_page(crawl, rows, "s1")
    made.finish("fetch", 0, {"counts": {"fetch_success": 1, "left.robots.txt deferred": 4}})
    made.finish("parse", 0, {"counts": {"success": 1, "links": 7}})
    commit = crawl.table("crawldb").begin("updatedb", "updatedb:s1", config, NOW)
    commit.segments.append("s1")
    commit.publish(JobReport("updatedb", "s1"))
    half = segment(crawl, "s2", urls=5)
    half.write_part("crawl_fetch", 0, "a1.0000", [rows.fetch(PAGE), rows.fetch(PAGE + "b")])
    first, second = readseg.segments(crawl, config)
    assert first == {
        "segment": "s1",
        "created": "2026-07-01T12:00:00+00:00",
        "run_id": "r",
        "depth": 1,
        "lists": 1,
        "generated": 1,
        "fetched": 1,
        "parsed": 1,
        "folded": True,
        "counts": {
            "fetch_success": 1,
            "left.robots.txt deferred": 4,
            "parse_success": 1,
            "links": 7,
        },
    }
    assert (second["segment"], second["generated"], second["folded"]) == ("s2", 5, False)
    assert (second["fetched"], second["parsed"], second["counts"]) == (2, 0, {})
