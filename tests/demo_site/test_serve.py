"""Each special behaviour of the demo site, over loopback sockets."""

import http.client
import json
import re
import signal
import socket
import subprocess
import sys
import time
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from include.demo_site.serve import DemoSite

SERVE = Path(__file__).parents[2] / "include" / "demo_site" / "serve.py"
LIBRARY, MUSEUM, CLUB = "127.0.0.1", "127.0.0.2", "127.0.0.3"


class Got(NamedTuple):
    status: int
    headers: http.client.HTTPMessage
    body: bytes


Get = Callable[..., Got]


@pytest.fixture
def get(site: Any) -> Get:
    def get(host: str, target: str, method: str = "GET", **headers: str) -> Got:
        connection = http.client.HTTPConnection(host, site.port, timeout=10)
        names = {name.replace("_", "-"): value for name, value in headers.items()}
        try:
            connection.request(method, target, headers=names)
            answer = connection.getresponse()
            return Got(answer.status, answer.headers, answer.read())
        finally:
            connection.close()

    return get


def test_three_hosts_share_one_port(site: Any) -> None:
    assert site.origins == tuple(f"http://{h}:{site.port}" for h in (LIBRARY, MUSEUM, CLUB))
    assert site.seeds == tuple(f"{origin}/" for origin in site.origins)


@pytest.mark.parametrize("host", [LIBRARY, MUSEUM, CLUB])
def test_home_pages_link_to_each_other_with_the_port_filled_in(
    get: Get, site: Any, host: str
) -> None:
    page = get(host, "/")
    assert page.status == 200
    assert page.headers["Content-Type"] == "text/html; charset=utf-8"
    assert f":{site.port}/".encode() in page.body
    assert b"{port}" not in page.body


@pytest.mark.parametrize(
    ("host", "target", "status", "location"),
    [
        (LIBRARY, "/old-catalogue.html", 301, "/catalogue.html"),
        (LIBRARY, "/events/today", 302, "/events/story-hour.html"),
        (LIBRARY, "/loop/lost", 302, "/loop/found"),
        (LIBRARY, "/loop/found", 302, "/loop/lost"),
        (LIBRARY, "/exchange", 302, "http://127.0.0.2:{port}/loans.html"),
        (MUSEUM, "/moved/1", 308, "/moved/2"),
        (MUSEUM, "/moved/2", 307, "moved-again"),
        (MUSEUM, "/moved/moved-again", 303, "//127.0.0.2:{port}/director.html"),
        (MUSEUM, "/tickets", 302, "/tickets"),
    ],
)
def test_redirects(get: Get, site: Any, host: str, target: str, status: int, location: str) -> None:
    answer = get(host, target)
    assert answer.status == status
    assert answer.headers["Location"] == location.replace("{port}", str(site.port))


def test_the_stairs_are_seven_redirects(get: Get) -> None:
    target, steps = "/stairs/1", 0
    while (answer := get(LIBRARY, target)).status == 302:
        target, steps = answer.headers["Location"], steps + 1
    assert (target, steps, answer.status) == ("/stairs/top.html", 7, 200)


@pytest.mark.parametrize(
    ("host", "target", "status"),
    [
        (LIBRARY, "/lost-page.html", 404),
        (LIBRARY, "/mobile-library.html", 410),
        (LIBRARY, "/events/calendar", 404),
        (LIBRARY, "/events/calendar?month=2026-13", 404),
        (LIBRARY, "/../serve.py", 404),
        (LIBRARY, "/%2e%2e/site.toml", 404),
        (LIBRARY, "/books", 404),
        (MUSEUM, "/weather-station", 500),
        (CLUB, "/minutes.html", 403),
        (CLUB, "/dues.html", 401),
        (CLUB, "/franking.html", 503),
        (CLUB, "/robots.txt", 404),
    ],
)
def test_answers_that_are_no_page(get: Get, host: str, target: str, status: int) -> None:
    assert get(host, target).status == status


def test_503_says_when_to_come_back(get: Get) -> None:
    assert get(CLUB, "/franking.html").headers["Retry-After"] == "1"


def test_robots_txt_has_rules_and_names_the_sitemap(get: Get, site: Any) -> None:
    lines = get(LIBRARY, "/robots.txt").body.decode().splitlines()
    assert "Disallow: /staff/" in lines
    assert "Allow: /archive/1904.html" in lines
    assert f"Sitemap: http://127.0.0.1:{site.port}/sitemap.xml" in lines


def test_the_museums_robots_txt_starts_with_a_byte_order_mark(get: Get) -> None:
    body = get(MUSEUM, "/robots.txt").body
    assert body.startswith(b"\xef\xbb\xbf")
    assert b"Crawl-delay: 0.2\r\n" in body


@pytest.mark.parametrize(
    ("target", "type_", "element"),
    [
        ("/news/feed.xml", "application/rss+xml", "link"),
        ("/sitemap.xml", "application/xml", "loc"),
    ],
)
def test_feed_and_sitemap_name_absolute_urls(
    get: Get, site: Any, target: str, type_: str, element: str
) -> None:
    answer = get(LIBRARY, target)
    assert answer.headers["Content-Type"] == type_
    urls = re.findall(f"<{element}>(.*?)</{element}>", answer.body.decode())
    assert len(urls) >= 4
    assert all(url.startswith(site.origins) for url in urls)


def test_the_duplicate_is_the_same_to_the_byte(get: Get) -> None:
    hours = get(LIBRARY, "/hours.html")
    assert get(LIBRARY, "/visit/opening-times.html").body == hours.body
    assert get(LIBRARY, "/hours.html;jsessionid=5E1F0C77A2").body == hours.body


def test_a_query_that_does_not_matter_and_a_canonical_that_says_so(get: Get) -> None:
    page = get(LIBRARY, "/books/heron.html?ref=newsletter").body
    assert page == get(LIBRARY, "/books/heron.html").body
    assert b'<link rel="canonical" href="/books/heron.html">' in page


def test_the_calendar_has_no_end(get: Get) -> None:
    page = get(LIBRARY, "/events/calendar?month=2026-12").body.decode()
    assert "Calendar for 2026-12" in page
    assert re.findall(r"\?month=([0-9-]+)", page) == ["2026-11", "2027-01"]
    assert "?month=9999-11" in get(LIBRARY, "/events/calendar?month=9999-12").body.decode()


def test_the_basement_has_no_end(get: Get) -> None:
    first = get(LIBRARY, "/maze/").body
    assert get(LIBRARY, "/maze/" + "deeper/" * 50).body == first
    assert b'href="deeper/"' in first


def test_the_slow_page_takes_a_second_and_a_half(get: Get) -> None:
    start = time.monotonic()
    assert get(LIBRARY, "/microfilm.html").status == 200
    assert 1.4 < time.monotonic() - start < 5


def test_gzip_that_is_whole(get: Get) -> None:
    answer = get(LIBRARY, "/catalogue.html")
    assert answer.headers["Content-Encoding"] == "gzip"
    assert b"Under X" in zlib.decompress(answer.body, wbits=31)


def test_gzip_that_is_broken_from_its_first_byte(get: Get) -> None:
    answer = get(LIBRARY, "/scanner.html")
    assert answer.headers["Content-Encoding"] == "gzip"
    unpacker = zlib.decompressobj(wbits=31)
    with pytest.raises(zlib.error):
        unpacker.decompress(answer.body)


@pytest.mark.parametrize(
    ("target", "header", "charset", "word"),
    [
        ("/lettres.html", "text/html; charset=iso-8859-1", "iso-8859-1", "bibliothèque"),
        ("/tegami.html", "text/html", "shift_jis", "図書館"),
        ("/pisma.html", "text/html", "koi8-r", "Самовар"),
    ],
)
def test_three_charsets(get: Get, target: str, header: str, charset: str, word: str) -> None:
    answer = get(CLUB, target)
    assert answer.headers["Content-Type"] == header
    assert word in answer.body.decode(charset)
    with pytest.raises(UnicodeDecodeError):
        answer.body.decode("utf-8")


def test_only_a_byte_order_mark_tells_utf_8(get: Get) -> None:
    answer = get(LIBRARY, "/books/tide-tables.html")
    assert answer.headers["Content-Type"] == "text/html"
    assert b"charset" not in answer.body
    assert "“naïve”" in answer.body.decode("utf-8-sig")


def test_wishes_in_headers_and_meta_tags(get: Get) -> None:
    assert get(MUSEUM, "/mistakes.txt").headers["X-Robots-Tag"] == "noindex"
    assert get(MUSEUM, "/curators-choice.html").headers["X-Robots-Tag"] == "nofollow"
    assert b'content="noindex, follow"' in get(LIBRARY, "/quiet-room.html").body
    assert b'content="nofollow"' in get(LIBRARY, "/members.html").body
    assert b'http-equiv="refresh" content="0; url=/entrance.html"' in (
        get(MUSEUM, "/old-entrance.html").body
    )


def test_the_long_page_is_longer_than_the_content_limit(get: Get) -> None:
    answer = get(MUSEUM, "/collection.html")
    assert len(answer.body) > 1_048_576
    assert answer.body.endswith(b"</html>\n")


def test_a_known_page_answers_304(get: Get) -> None:
    first = get(LIBRARY, "/hours.html")
    tag, changed = first.headers["ETag"], first.headers["Last-Modified"]
    again = get(LIBRARY, "/hours.html", If_None_Match=tag)
    assert (again.status, again.body, again.headers["ETag"]) == (304, b"", tag)
    assert get(LIBRARY, "/hours.html", If_Modified_Since=changed).status == 304
    assert get(LIBRARY, "/hours.html", If_None_Match='"other"').status == 200
    earlier = "Sat, 31 Oct 2026 09:00:00 GMT"
    assert get(LIBRARY, "/hours.html", If_Modified_Since=earlier).status == 200


def test_head_sends_no_body(get: Get) -> None:
    head = get(LIBRARY, "/hours.html", method="HEAD")
    assert head.body == b""
    assert int(head.headers["Content-Length"]) == len(get(LIBRARY, "/hours.html").body)


def test_a_connection_is_kept(site: Any) -> None:
    connection = http.client.HTTPConnection(LIBRARY, site.port, timeout=10)
    connection.connect()
    kept = connection.sock
    for target in ("/", "/lost-page.html", "/loop/lost", "/hours.html"):
        connection.request("GET", target)
        connection.getresponse().read()
        assert connection.sock is kept
    connection.close()


def test_requests_are_remembered(get: Get, site: Any) -> None:
    before = len(site.requests)
    get(CLUB, "/rules.html?asked=1", User_Agent="Test/1")
    (seen,) = site.requests[before:]
    assert seen.url == f"http://127.0.0.3:{site.port}/rules.html?asked=1"
    assert (seen.method, seen.status, seen.headers["user-agent"]) == ("GET", 200, "Test/1")


def test_closing_frees_the_port_and_ends_slow_answers() -> None:
    with DemoSite() as site:
        client = socket.create_connection((LIBRARY, site.port), timeout=10)
        client.sendall(b"GET /microfilm.html HTTP/1.1\r\nHost: x\r\n\r\n")
    client.close()
    with DemoSite(site.port) as again:
        assert again.port == site.port


def test_a_port_that_is_taken_is_said() -> None:
    with socket.create_server(("127.0.0.2", 0)) as other, pytest.raises(OSError, match="in use"):
        DemoSite(other.getsockname()[1])


def test_it_runs_as_a_script_and_ends_on_sigterm() -> None:
    command = [sys.executable, str(SERVE), "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        seeds = [process.stdout.readline().strip() for _ in range(3)]
        assert re.fullmatch(r"http://127\.0\.0\.1:[0-9]+/", seeds[0])
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=10) == 0


def test_expected_json_names_this_port(site: Any) -> None:
    expected = site.expected()
    assert expected["seeds"] == list(site.seeds)
    assert "{port}" not in json.dumps(expected)
