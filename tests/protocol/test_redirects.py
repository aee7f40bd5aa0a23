"""Where a Location leads."""

import pytest

from crawl_ops.model import ProtocolStatus
from crawl_ops.protocol.answer import FetchRequest
from crawl_ops.protocol.location import target

BASE = "http://a.example/d/a?x=1"


@pytest.mark.parametrize(
    ("location", "expected"),
    [
        (b"/new", "http://a.example/new"),
        (b"../b", "http://a.example/b"),
        (b"?x=1", "http://a.example/d/a?x=1"),
        (b"//b.example/n", "http://b.example/n"),
        (b"///b.example/new", "http://b.example/new"),
        (b"https:///b.example/new", "https://b.example/new"),
        (b"\\new\\x", "http://a.example/new/x"),
        (b"http:\\\\b.example\\x", "http://b.example/x"),
        (b"HTTP://B.example:80/", "http://b.example/"),
        (b"/new#part2", "http://a.example/new"),
        (b"#top", "http://a.example/d/a?x=1"),
        (b"  /new \t", "http://a.example/new"),
        (b"/a b", "http://a.example/a%20b"),
        (b"/n\tew", "http://a.example/new"),
        (b"/caf\xc3\xa9", "http://a.example/caf%C3%A9"),
        (b"/caf\xe9", "http://a.example/caf%E9"),
        (b"/caf%c3%a9", "http://a.example/caf%c3%a9"),
        (b"http://0x7f.1/", "http://127.0.0.1/"),
    ],
)
def test_is_resolved_as_browsers_do(location, expected):
    assert target(BASE, location) == (expected, None)


@pytest.mark.parametrize(
    ("location", "reason"),
    [
        (b"", "redirect without Location"),
        (b"   ", "redirect without Location"),
        (b"http://", "redirect to a bad Location: http://"),
        (b"http://[::1", "redirect to a bad Location: http://[::1"),
        (b"http://a b/", "redirect to a bad Location: http://a b/"),
        (b"mailto:x@a.example", "redirect to a scheme that is not fetched: mailto"),
        (b"file:///etc/passwd", "redirect to a scheme that is not fetched: file"),
        (b"javascript:alert(1)", "redirect to a scheme that is not fetched: javascript"),
    ],
)
def test_leads_nowhere_with_a_reason(location, reason):
    assert target(BASE, location) == (None, reason)


def test_a_redirect_is_not_followed(serve, client):
    server = serve(b"HTTP/1.1 301 M\r\nLocation: /x\r\nContent-Length: 4\r\n\r\nmove")
    answer = client().fetch(FetchRequest(server.url("/a")))
    assert answer.status is ProtocolStatus.MOVED
    assert (answer.location, answer.content) == (server.url("/x"), b"move")
    assert server.targets == ["/a"]


@pytest.mark.parametrize("name", [b"Location", b"LOCATION", b"Loction", b"Locatoin"])
def test_the_name_may_be_misspelt(serve, client, name):
    server = serve(b"HTTP/1.1 302 M\r\n" + name + b": /x\r\n\r\n")
    assert client().fetch(FetchRequest(server.url())).location == server.url("/x")


@pytest.mark.parametrize("name", [b"Content-Location", b"X-Location-Hint", b"Allocation-Id"])
def test_another_header_is_not_taken_for_it(serve, client, name):
    server = serve(b"HTTP/1.1 302 M\r\n" + name + b": /x\r\n\r\n")
    answer = client().fetch(FetchRequest(server.url()))
    assert answer.status is ProtocolStatus.TEMP_MOVED
    assert (answer.location, answer.reason) == (None, "redirect without Location")


@pytest.mark.parametrize(
    "rest",
    [
        b"Transfer-Encoding: chunked\r\n\r\nnot a chunk",
        b"Content-Length: 500\r\n\r\nshort",
        b"Content-Encoding: gzip\r\n\r\n\x00\x01\x02",
    ],
)
def test_a_broken_body_is_no_matter(serve, client, rest):
    server = serve(b"HTTP/1.1 302 M\r\nLocation: /x\r\n" + rest)
    answer = client().fetch(FetchRequest(server.url()))
    assert (answer.status, answer.reason) == (ProtocolStatus.TEMP_MOVED, None)
    assert answer.location == server.url("/x")
