"""Segments as WARC files, read back by a reader that is not ours."""

import json
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from warcio.archiveiterator import ArchiveIterator

from crawl_ops.config.load import load
from crawl_ops.config.properties import CrawlConfig
from crawl_ops.errors import NotFoundError, StoreError
from crawl_ops.jobs.warc import warc
from crawl_ops.storage.crawl_dir import CrawlDir
from crawl_ops.storage.segment import Segment
from crawl_ops.urls.identity import UrlIdentifier

NOW = datetime(2026, 7, 1, 12, tzinfo=UTC)
FETCHED = datetime(2026, 6, 30, 8, 0, 0, 250_000, tzinfo=UTC)
PAGE = "http://a.example/"


@pytest.fixture
def config() -> CrawlConfig:
    return load(None, {"http.agent.name": "testbot"})


@pytest.fixture
def crawl(tmp_path: Path) -> CrawlDir:
    return CrawlDir.open(tmp_path / "crawl", create=True)


def key(crawl: CrawlDir, url: str, attempt: str) -> dict[str, Any]:
    found = UrlIdentifier(crawl.seed).identify(url)
    return {"k": found.k, "slot": found.slot, "url": url, "attempt": attempt}


def segment(crawl: CrawlDir, name: str, lists: int = 1) -> Segment:
    made = crawl.new_segment(name)
    made.publish({"created": NOW.isoformat(), "lists": [{"list": n} for n in range(lists)]})
    return made


def add_page(
    crawl: CrawlDir,
    to: Segment,
    url: str,
    body: bytes,
    *,
    number: int = 0,
    stem: str = "a1.0000",
    headers: Any = (("Content-Type", "text/html"),),
    fetch_status: str = "fetch_success",
    time: datetime = FETCHED,
    **changes: Any,
) -> None:
    """One page as the only one of its part files."""
    known = key(crawl, url, stem.partition(".")[0])
    fetch = {
        **known,
        "host": "a.example",
        "domain": "a.example",
        "list": number,
        "fetch_status": fetch_status,
        "protocol_status": "success",
        "fetch_time": time,
        "response_ms": 12,
        "bytes": len(body),
        "hops": 0,
        "ip_address": "192.0.2.1",
        "score": 1.0,
        "interval_s": 60,
        "retries": 0,
        "depth": 2,
        "via": changes.pop("via", None),
    }
    content = {
        **known,
        "base_url": url,
        "fetch_time": time,
        "http_status": 200,
        "content_type": "text/html",
        "headers": json.dumps(list(headers)),
        "content": body,
        "score": 0.25,
        **changes,
    }
    to.write_part("content", number, stem, [content])
    to.write_part("crawl_fetch", number, stem, [fetch])


def records(path: Path) -> list[dict[str, Any]]:
    """What warcio reads, with its digest checks on."""
    found = []
    with path.open("rb") as file:
        for record in ArchiveIterator(file, check_digests="raise"):
            body = record.content_stream().read()
            found.append(
                {
                    "type": record.rec_type,
                    "warc": dict(record.rec_headers.headers),
                    "http": record.http_headers,
                    "body": body,
                }
            )
    return found


def test_a_page_is_a_response_and_its_metadata(
    crawl: CrawlDir, config: CrawlConfig, tmp_path: Path
) -> None:
    made = segment(crawl, "s1")
    headers = [
        ("Content-Type", "text/html; charset=utf-8"),
        ("Content-Encoding", "gzip"),
        ("Transfer-Encoding", "chunked"),
        ("Content-Length", "99"),
        ("Set-Cookie", "a=1"),
        ("Set-Cookie", "b=2"),
    ]
    body = "<p>äöü</p>".encode()
    add_page(crawl, made, PAGE, body, headers=headers, via="http://a.example/old")
    out = tmp_path / "out.warc.gz"
    report = warc(crawl, config, ["s1"], out, NOW)
    assert report.counts == {"warcinfo": 1, "response": 1, "metadata": 1}
    assert report.segment == "s1"
    assert report.details["bytes"] == out.stat().st_size
    info, response, metadata = records(out)
    assert info["type"] == "warcinfo"
    assert info["warc"]["WARC-Date"] == "2026-07-01T12:00:00.000000Z"
    assert b"http-header-user-agent: testbot\r\n" in info["body"]
    assert response["type"] == "response"
    assert response["warc"]["WARC-Target-URI"] == PAGE
    assert response["warc"]["WARC-Date"] == "2026-06-30T08:00:00.250000Z"
    assert response["warc"]["WARC-IP-Address"] == "192.0.2.1"
    assert "WARC-Truncated" not in response["warc"]
    assert response["http"].get_statuscode() == "200"
    assert response["http"].statusline == "200 OK"
    assert response["http"].headers == [
        ("Content-Type", "text/html; charset=utf-8"),
        ("Set-Cookie", "a=1"),
        ("Set-Cookie", "b=2"),
        ("Content-Length", str(len(body))),
    ]
    assert response["body"] == body
    assert metadata["type"] == "metadata"
    assert metadata["warc"]["WARC-Concurrent-To"] == response["warc"]["WARC-Record-ID"]
    assert metadata["warc"]["Content-Type"] == "application/warc-fields"
    assert metadata["body"].decode().splitlines() == [
        "via: http://a.example/old",
        "hopsFromSeed: 1",
        "fetchTimeMs: 12",
        "score: 0.25",
    ]


def test_metadata_has_what_the_parse_found(
    crawl: CrawlDir, config: CrawlConfig, tmp_path: Path
) -> None:
    made = segment(crawl, "s1")
    add_page(crawl, made, PAGE, b"x")
    known = key(crawl, PAGE, "a1")
    data = {
        **known,
        "parse_status": "success",
        "kind": "page",
        "title": "two\nlines: é",
        "charset": "utf-8",
        "noindex": False,
        "nofollow": False,
        "noarchive": False,
        "outlinks_found": 2,
        "outlinks_kept": 2,
        "signature": b"\x01" * 16,
        "fetch_time": FETCHED,
    }
    made.write_part("parse_data", 0, "a1.0000", [data])
    link = {
        "to_host": "b.example",
        "to_domain": "b.example",
        "from_k": known["k"],
        "from_url": PAGE,
        "from_host": "a.example",
        "attempt": "a1",
        "score": 0.0,
    }
    targets = (("http://b.example/2", "link", 1), ("http://b.example/1", "link", 0))
    links = [
        {**link, **key(crawl, to, "a1"), "to_url": to, "kind": kind, "position": position}
        for to, kind, position in (*targets, ("http://b.example/c", "canonical", -1))
    ]
    made.write_part("crawl_parse", 0, "a1.0000p", links)
    out = tmp_path / "out.warc"
    warc(crawl, config, ["s1"], out, NOW)
    assert out.read_bytes().startswith(b"WARC/1.1\r\n")
    metadata = records(out)[2]["body"].decode().splitlines()
    assert metadata[3:] == [
        "parseStatus: success",
        "charset: utf-8",
        "title: two lines: é",
        f"signature: {'01' * 16}",
        "outlink: http://b.example/1 link",
        "outlink: http://b.example/2 link",
    ]


@pytest.mark.parametrize("why", ["length", "time", "disconnect"])
def test_what_was_cut_short_says_so(
    crawl: CrawlDir, config: CrawlConfig, tmp_path: Path, why: str
) -> None:
    add_page(crawl, segment(crawl, "s1"), PAGE, b"cut", truncated=why, headers=())
    out = tmp_path / "out.warc.gz"
    warc(crawl, config, ["s1"], out, NOW)
    response = records(out)[1]
    assert response["warc"]["WARC-Truncated"] == why
    assert response["http"].headers == [("Content-Type", "text/html"), ("Content-Length", "3")]


@pytest.mark.parametrize(
    ("status", "line"), [(200, "200 OK"), (None, "200 OK"), (203, None), (299, "299")]
)
def test_the_status_line(
    crawl: CrawlDir, config: CrawlConfig, tmp_path: Path, status: int | None, line: str | None
) -> None:
    add_page(crawl, segment(crawl, "s1"), PAGE, b"", http_status=status)
    warc(crawl, config, ["s1"], tmp_path / "out.warc.gz", NOW)
    response = records(tmp_path / "out.warc.gz")[1]
    assert response["http"].statusline == (line or "203 Non-Authoritative Information")
    assert response["body"] == b""


def test_headers_that_no_reader_may_stumble_over(
    crawl: CrawlDir, config: CrawlConfig, tmp_path: Path
) -> None:
    headers = [("X-Text", "größe 漢"), ("X-Break", "a\r\nWARC-Type: b"), ("X-Empty", "")]
    body = b"WARC/1.1\r\n\r\n\x00\xff" * 3
    add_page(crawl, segment(crawl, "s1"), PAGE, body, headers=headers)
    warc(crawl, config, ["s1"], tmp_path / "out.warc.gz", NOW)
    _, response, _ = records(tmp_path / "out.warc.gz")
    names = [name for name, _ in response["http"].headers]
    assert names == ["X-Text", "X-Break", "X-Empty", "Content-Length"]
    assert response["body"] == body


def test_several_segments_and_lists_in_one_file(
    crawl: CrawlDir, config: CrawlConfig, tmp_path: Path
) -> None:
    for name in ("s1", "s2"):
        made = segment(crawl, name, lists=2)
        for number in (0, 1):
            url = f"{PAGE}{name}/{number}"
            add_page(crawl, made, url, url.encode(), number=number)
    out = tmp_path / "out.warc.gz"
    report = warc(crawl, config, ["s1", "s2", "s1"], out, NOW)
    assert report.segment is None
    assert report.counts["response"] == 4
    urls = [r["body"].decode() for r in records(out) if r["type"] == "response"]
    assert urls == [f"{PAGE}{name}/{n}" for name in ("s1", "s2") for n in (0, 1)]


def test_what_two_attempts_fetched_is_written_once(
    crawl: CrawlDir, config: CrawlConfig, tmp_path: Path
) -> None:
    made = segment(crawl, "s1")
    add_page(crawl, made, PAGE, b"first", stem="a1.0000")
    later = FETCHED + timedelta(seconds=1)
    add_page(crawl, made, PAGE, b"second", stem="a2.0000", time=later)
    add_page(crawl, made, f"{PAGE}other", b"other", stem="a2.0001", time=later)
    warc(crawl, config, ["s1"], tmp_path / "out.warc.gz", NOW)
    bodies = [r["body"] for r in records(tmp_path / "out.warc.gz") if r["type"] == "response"]
    assert bodies == [b"first", b"other"]


def test_the_same_segments_give_the_same_file(
    crawl: CrawlDir, config: CrawlConfig, tmp_path: Path
) -> None:
    add_page(crawl, segment(crawl, "s1"), PAGE, b"x")
    made = []
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        out = tmp_path / folder / "out.warc.gz"
        warc(crawl, config, ["s1"], out, NOW)
        made.append(out.read_bytes())
    assert made[0] == made[1]


def test_an_empty_segment_is_a_file_with_a_warcinfo(
    crawl: CrawlDir, config: CrawlConfig, tmp_path: Path
) -> None:
    segment(crawl, "s1")
    report = warc(crawl, config, ["s1"], tmp_path / "out.warc.gz", NOW)
    assert report.counts == {"warcinfo": 1}
    assert [record["type"] for record in records(tmp_path / "out.warc.gz")] == ["warcinfo"]


def test_a_failure_leaves_nothing_behind(
    crawl: CrawlDir, config: CrawlConfig, tmp_path: Path
) -> None:
    made = segment(crawl, "s1")
    add_page(crawl, made, PAGE, b"x")
    (crawl.root / made.part_files("content")[0].path).write_bytes(b"broken")
    out = tmp_path / "out" / "out.warc.gz"
    out.parent.mkdir()
    out.write_bytes(b"an older one")
    with pytest.raises(StoreError, match="cannot be read as Parquet"):
        warc(crawl, config, ["s1"], out, NOW)
    assert out.read_bytes() == b"an older one"
    assert list(out.parent.iterdir()) == [out]
    with pytest.raises(NotFoundError, match="there is no segment s9"):
        warc(crawl, config, ["s9"], out, NOW)
    lost = tmp_path / "nowhere" / "out.warc.gz"
    with pytest.raises(StoreError, match=f"^{re.escape(str(lost))}: No such file or directory$"):
        warc(crawl, config, [], lost, NOW)
    with pytest.raises(StoreError, match=f"^{re.escape(str(out.parent))}: is a folder"):
        warc(crawl, config, [], out.parent, NOW)
