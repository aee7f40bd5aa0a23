"""One URL in, one Answer out."""

from datetime import UTC, datetime

import pytest

from crawl_ops.errors import ConfigError
from crawl_ops.model import FETCH_STATUS_OF, ProtocolStatus
from crawl_ops.protocol.answer import FetchRequest
from crawl_ops.protocol.http import HttpProtocol

OK = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n<p>hello"


def test_a_page(serve, client):
    server = serve(OK)
    answer = client().fetch(FetchRequest(server.url("/a?b=c")))
    assert answer.status is ProtocolStatus.SUCCESS
    assert (answer.http_status, answer.reason, answer.truncated) == (200, None, None)
    assert answer.content == b"<p>hello"
    assert (answer.content_type, answer.charset_hint) == ("text/html", "utf-8")
    assert answer.headers == [("Content-Type", "text/html; charset=utf-8")]
    assert answer.ip_address == "127.0.0.1"
    assert server.targets == ["/a?b=c"]


def test_headers_are_sent_in_nutchs_order(serve, client):
    server = serve(OK)
    http = client(agent_version="1.0", agent_url="http://a.example/", agent_email="a@b.example")
    http.fetch(FetchRequest(server.url(), cookie="k=v", etag='"e"', last_modified="yesterday"))
    lines = server.requests[0].decode().split("\r\n")
    assert [line.partition(":")[0] for line in lines[1:-2]] == [
        "Host",
        "Accept-Encoding",
        "User-Agent",
        "Accept-Language",
        "Accept-Charset",
        "Accept",
        "Cookie",
        "If-None-Match",
        "If-Modified-Since",
    ]
    assert server.header("user-agent") == "testbot/1.0 (http://a.example/; a@b.example)"
    assert server.header("host") == f"127.0.0.1:{server.port}"
    assert server.header("if-modified-since") == "yesterday"


def test_a_blank_switches_a_header_off(serve, client):
    server = serve(OK)
    client(accept=" ", accept_language=" ", accept_charset=" ").fetch(FetchRequest(server.url()))
    assert b"Accept:" not in server.requests[0]
    assert b"Accept-Language" not in server.requests[0]
    assert b"Accept-Charset" not in server.requests[0]


def test_without_a_date_of_the_server_ours_is_sent(serve, client):
    server = serve(b'HTTP/1.1 304 Not Modified\r\nETag: "2"\r\n\r\n')
    when = datetime(2026, 3, 1, 12, 30, 5, 999, tzinfo=UTC)
    answer = client().fetch(FetchRequest(server.url(), modified_time=when))
    assert server.header("if-modified-since") == "Sun, 01 Mar 2026 12:30:05 GMT"
    assert answer.status is ProtocolStatus.NOTMODIFIED
    assert answer.etag == '"2"'


def test_the_epoch_is_no_date(serve, client):
    server = serve(OK)
    client().fetch(FetchRequest(server.url(), modified_time=datetime.fromtimestamp(0, UTC)))
    assert server.header("if-modified-since") is None


def test_conditional_requests_can_be_switched_off(serve, client):
    server = serve(OK)
    http = client(**{"http.enable.if.modified.since.header": False})
    http.fetch(FetchRequest(server.url(), etag='"e"', last_modified="x"))
    assert b"If-" not in server.requests[0]


@pytest.mark.parametrize("value", ["a\r\nX-Evil: 1", "a\x00b", "snow☃man"])
def test_what_is_no_header_value_is_not_sent(serve, client, value):
    server = serve(OK)
    answer = client().fetch(FetchRequest(server.url(), cookie=value, etag=value))
    assert answer.status is ProtocolStatus.SUCCESS
    assert b"Cookie" not in server.requests[0]
    assert b"If-None-Match" not in server.requests[0]
    assert b"Evil" not in server.requests[0]


def test_304_that_was_not_asked_for_is_no_success(serve, client):
    answer = client().fetch(FetchRequest(serve(b"HTTP/1.1 304 Not Modified\r\n\r\n").url()))
    assert answer.status is ProtocolStatus.EXCEPTION
    assert answer.reason == "http 304 that was not asked for"


def test_status_codes_are_nutchs(serve, client, vectors):
    http = client()
    for case in vectors("rules.jsonl"):
        if case["op"] != "http-to-fetch-status":
            continue
        code = case["http_status"]
        location = "Location: /x\r\n" if case["has_location"] else ""
        server = serve(f"HTTP/1.1 {code} X\r\n{location}Content-Length: 0\r\n\r\n".encode())
        answer = http.fetch(FetchRequest(server.url(), etag='"1"'))
        assert answer.status == case["expected"]["protocol_status"], case
        assert FETCH_STATUS_OF[answer.status] == case["expected"]["fetch_status"]


@pytest.mark.parametrize(
    ("code", "status"),
    [
        (200, "success"), (203, "exception"), (206, "exception"), (300, "moved"),
        (301, "moved"), (302, "temp_moved"), (305, "moved"), (306, "moved"), (399, "moved"),
        (400, "gone"), (401, "access_denied"), (402, "exception"), (403, "exception"),
        (404, "notfound"), (410, "gone"), (418, "exception"), (451, "exception"),
        (500, "exception"), (599, "exception"), (999, "exception"),
    ],
)  # fmt: skip
def test_every_code_has_a_status(serve, client, code, status):
    head = f"HTTP/1.1 {code} X\r\nLocation: /t\r\n\r\nbody"
    answer = client().fetch(FetchRequest(serve(head.encode()).url()))
    assert (answer.status, answer.http_status) == (status, code)
    assert (answer.content == b"body") is (status in ("success", "moved", "temp_moved"))
    assert (answer.reason == f"http {code}") is (answer.content == b"")


@pytest.mark.parametrize("code", [429, 503])
@pytest.mark.parametrize(
    ("value", "date", "seconds"),
    [
        ("120", None, 120.0),
        (" 0 ", None, 0.0),
        ("99999999999999", None, 31_536_000.0),
        ("Sun, 01 Mar 2026 12:01:00 GMT", "Sun, 01 Mar 2026 12:00:00 GMT", 60.0),
        ("Sun, 01 Mar 2026 11:00:00 GMT", "Sun, 01 Mar 2026 12:00:00 GMT", 0.0),
        ("Sunday, 01-Mar-26 12:01:00 GMT", "Sun, 01 Mar 2026 12:00:00 GMT", 60.0),
        ("Sun, 01 Mar 2026 12:01:00 GMT", None, None),
        ("-5", None, None),
        ("soon", "Sun, 01 Mar 2026 12:00:00 GMT", None),
        ("Fri, 31 Dec 9999 23:59:59 -2359", "Sun, 01 Mar 2026 12:00:00 GMT", None),
        ("Sun, 01 Mar 2026 12:00:00 GMT", "Fri, 31 Dec 9999 23:59:59 -2359", None),
    ],
)
def test_retry_after(serve, client, code, value, date, seconds):
    lines = [f"HTTP/1.1 {code} Wait", f"Retry-After: {value}", *([f"Date: {date}"] if date else [])]
    server = serve("\r\n".join([*lines, "", ""]).encode())
    answer = client().fetch(FetchRequest(server.url()))
    assert answer.status is ProtocolStatus.EXCEPTION
    assert answer.retry_after_s == seconds


def test_a_retry_after_date_without_server_date_needs_our_clock(serve, config):
    server = serve(b"HTTP/1.1 503 X\r\nRetry-After: Sun, 01 Mar 2026 12:01:00 GMT\r\n\r\n")
    http = HttpProtocol(config(), clock=lambda: datetime(2026, 3, 1, 12, tzinfo=UTC))
    assert http.fetch(FetchRequest(server.url())).retry_after_s == 60.0
    http.close()


@pytest.mark.parametrize(
    "url", ["", "nonsense", "ftp://a.example/", "http://", "http:///", "http://a b/", "mailto:x@y",
            "http://[::1", "http://a.example:99999/", "http://\udcff.example/"],
)  # fmt: skip
def test_what_is_no_url_of_ours_is_an_answer_too(client, url):
    answer = client().fetch(FetchRequest(url))
    assert answer.status is ProtocolStatus.EXCEPTION
    assert answer.reason.startswith(("bad url", "dns"))


@pytest.mark.parametrize(
    ("path", "sent"),
    [
        ("", "/"),
        ("?171", "/?171"),
        ("/100%", "/100%"),
        ("/a%c3%b6|{}", "/a%c3%b6|%7B%7D"),
        ("/a b", "/a%20b"),
        ("/ö", "/%C3%B6"),
        ("//x//y", "//x//y"),
        ("/p#frag", "/p"),
    ],
)
def test_the_target_is_sent_as_the_url_has_it(serve, client, path, sent):
    server = serve(OK)
    client().fetch(FetchRequest(server.url(path)))
    assert server.targets == [sent]


def test_user_and_password_in_a_url_are_not_sent(serve, client):
    server = serve(OK)
    client().fetch(FetchRequest(f"http://u:p@127.0.0.1:{server.port}/"))
    assert b"Authorization" not in server.requests[0]
    assert b"u:p" not in server.requests[0]


def test_ipv6(serve, client):
    server = serve(OK, "::1")
    answer = client().fetch(FetchRequest(server.url()))
    assert (answer.status, answer.ip_address) == (ProtocolStatus.SUCCESS, "::1")
    assert server.header("host") == f"[::1]:{server.port}"


@pytest.mark.parametrize(
    ("prop", "value"),
    [
        ("http.agent.name", ""),
        ("http.agent.name", "  "),
        ("http.agent.description", "a\nb"),
        ("http.accept", "a\r\nX: y"),
        ("http.filter.ipaddress.exclude", "10.0.0.0/33"),
        ("http.filter.ipaddress.include", "homes"),
        ("http.auth.file", "/nowhere/auth.xml"),
        ("http.proxy.host", "proxy.example"),
    ],
)
def test_a_wrong_property_is_told_at_once(config, prop, value):
    with pytest.raises(ConfigError, match=prop.rpartition(".")[0].replace(".", r"\.")):
        HttpProtocol(config(**{prop: value}))
