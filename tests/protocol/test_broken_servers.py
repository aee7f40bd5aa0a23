"""Servers that do it wrong: read as leniently as Nutch's protocol-http reads them."""

import base64

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from crawl_ops.model import ProtocolStatus
from crawl_ops.protocol.answer import FetchRequest

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"

# What Nutch's protocol-http reads and we do not, or otherwise.
KNOWN_DIFFERENCES = {
    "a first line of control bytes": (
        b"\x00\x01\x02\x03 no HTTP",
        "bad answer: no HTTP status line",
        "Nutch takes any bytes as a page; what no text has is another protocol (TLS, SSH)",
    ),
    "a status line without a number": (
        b"HTTP/1.1 OK\r\n\r\nbody",
        "bad answer: no HTTP status line",
        "Nutch fails as well, but with a NumberFormatException for its reason",
    ),
    "a body that is not chunked as announced": (
        HEAD + b"Transfer-Encoding: chunked\r\n\r\nThis is a text.",
        "broken body",
        "Nutch keeps the text before the error; with http.partial.truncated both keep whole chunks",
    ),
}


def test_nutchs_facts(serve, client, vectors):
    for case in vectors("answers.jsonl"):
        response = (
            case["response"].encode()
            if "response" in case
            else base64.b64decode(case["response_b64"])
        )
        server = serve(response)
        answer = client().fetch(FetchRequest(server.url(case.get("request", "/"))))
        expected = case["expected"]
        assert answer.http_status == expected["status"], case
        if "served" in case:
            assert server.targets == [case["served"]], case
        if "Location" in expected:
            assert answer.location == expected["Location"], case
        if "lookup" in expected:
            assert answer.location == server.url("/headervalue"), case
        if "content" in expected:
            assert expected["content"] in answer.content.decode(), case
        if "content_type" in expected:
            assert answer.content_type == expected["content_type"], case


@pytest.mark.parametrize("name", KNOWN_DIFFERENCES)
def test_known_differences_to_nutch(serve, client, name):
    response, reason, _because = KNOWN_DIFFERENCES[name]
    answer = client().fetch(FetchRequest(serve(response).url()))
    assert answer.status is ProtocolStatus.EXCEPTION
    assert answer.reason.startswith(reason)


@pytest.mark.parametrize(
    ("response", "content"),
    [
        (b"HTTP/1.1 200: OK\r\n\r\nbody", b"body"),
        (b"HTTP/1.1 200\r\n\r\nbody", b"body"),
        (b"HTTP/2 200 \r\n\r\nbody", b"body"),
        (b"HTTP/1.0 200 OK\n\nbody", b"body"),
        (b"ICY 200 OK\r\n\r\nbody", b"body"),
        (b"\r\n\r\nHTTP/1.1 200 OK\r\n\r\nbody", b"body"),
        (b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n" + HEAD + b"\r\nbody", b"body"),
        (b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 100 C\r\n\r\n" + HEAD + b"\r\nbody", b"body"),
        (HEAD + b"no colon here\r\n\r\nbody", b"body"),
        (HEAD + b"Content-Length : 4\r\n\r\nbodymore", b"body"),
        (HEAD + b"Content-Length: 4\r\nContent-Length: 4\r\n\r\nbody", b"body"),
        (HEAD + b"Content-Length: 4, 4\r\n\r\nbody", b"body"),
        (HEAD + b"Content-Length: -4\r\n\r\nbody", b"body"),
        (HEAD + b"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
         b"abc"),
        (HEAD + b"Transfer-Encoding: Chunked\r\n\r\n3;x=y\r\nabc\r\n0\r\nA: b\r\n\r\n", b"abc"),
        (HEAD + b"Transfer-Encoding: chunked\n\n3;x=y\nabc\n2\nde\n0\nA: b\n\n", b"abcde"),
        (HEAD + b"Transfer-Encoding: chunked\r\n\r\n3\r\nab\n\n2\nde\r\n0\n\n", b"ab\nde"),
        (HEAD + b"Transfer-Encoding: identity\r\n\r\nabc", b"abc"),
        (HEAD + b"X: a\r\n folded\r\n\tmore\r\nContent-Length: 1\r\n\r\nb", b"b"),
        (HEAD, b""),
    ],
)  # fmt: skip
def test_is_read(serve, client, response, content):
    answer = client().fetch(FetchRequest(serve(response).url()))
    assert (answer.status, answer.reason) == (ProtocolStatus.SUCCESS, None)
    assert answer.content == content


@pytest.mark.parametrize(
    ("response", "reason"),
    [
        (b"", "closed: the server closed without an answer"),
        (None, "reset"),
        (b"\r\n" * 20, "bad answer: empty lines"),
        (b"\x15\x03\x01\x00\x02\x02\x28", "bad answer: no HTTP status line"),
        (b"HTTP/1.1 101 Switching Protocols\r\n\r\n", "bad answer: 101"),
        (b"HTTP/1.1 100 Continue\r\n\r\n" * 50, "bad answer: 100"),
        (HEAD + b"Content-Length: 4\r\nContent-Length: 6\r\n\r\nbody12",
         "bad answer: Content-Length 4 and 6"),
        (HEAD + b"Content-Length: 4, 6\r\n\r\nbody12", "bad answer: Content-Length 4 and 6"),
        (HEAD + b"Content-Length: 9\r\n\r\nbody", "short body"),
        (HEAD + b"Transfer-Encoding: chunked\r\n\r\n9\r\nbody", "broken body"),
        (HEAD + b"Transfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n", "broken body"),
        (HEAD + b"Transfer-Encoding: chunked\r\n\r\n4\r\nbody\r\nzz\r\n", "broken body"),
        (HEAD + b"Transfer-Encoding: chunked\r\n\r\n4\r\nbodyXX0\r\n\r\n", "broken body"),
        (HEAD + b"Transfer-Encoding: chunked\r\n\r\n4\r\nbody\rX0\r\n\r\n", "broken body"),
        (HEAD + b"Transfer-Encoding: chunked\r\n\r\n4\r\nbody0\r\n\r\n", "broken body"),
        (HEAD + b"Transfer-Encoding: chunked\r\n\r\n-5\r\nbody\r\n0\r\n\r\n", "broken body"),
        (HEAD + b"Transfer-Encoding: chunked\r\n\r\n+4\r\nbody\r\n0\r\n\r\n", "broken body"),
        (HEAD + b"Transfer-Encoding: chunked\r\n\r\n0x4\r\nbody\r\n0\r\n\r\n", "broken body"),
        (HEAD + b"Transfer-Encoding: chunked\r\n\r\n" + b"0" * 99 + b"4\r\nbody", "broken body"),
        (b"HTTP/1.1 200 OK\r\n" + b"".join(b"X-%d: y\r\n" % n for n in range(1001)) + b"\r\n",
         "headers: more than 1000"),
        (b"HTTP/1.1 200 OK\r\nX: " + b"y" * 300_000 + b"\r\n\r\n",
         "headers: more than 262144 bytes (http.header.limit)"),
        (b"HTTP/1.1 200 OK\r\n" + b"".join(b"X%sY: h\r\n" % (b"x" * 10_000) for n in range(80)),
         "headers: more than 262144 bytes (http.header.limit)"),
    ],
)  # fmt: skip
def test_is_refused_with_its_own_reason(serve, client, response, reason):
    reply = response if response is not None else (lambda _request: None)
    answer = client().fetch(FetchRequest(serve(reply).url()))
    assert answer.status is ProtocolStatus.EXCEPTION
    assert answer.reason.startswith(reason)


def test_many_and_large_headers_are_fine(serve, client):
    many = b"".join(b"X-%d: y\r\n" % n for n in range(500))
    large = b"Set-Cookie: s=" + b"a" * 100_000 + b"\r\n"
    answer = client().fetch(FetchRequest(serve(HEAD + many + large + b"\r\nbody").url()))
    assert (answer.status, answer.content) == (ProtocolStatus.SUCCESS, b"body")
    assert len(answer.headers) == 502


@pytest.mark.parametrize(
    ("response", "content"),
    [
        (HEAD + b"Content-Length: 9\r\n\r\nbody", b"body"),
        (HEAD + b"Transfer-Encoding: chunked\r\n\r\n9\r\nbody", b"body"),
        (HEAD + b"Transfer-Encoding: chunked\r\n\r\n4\r\nbody\r\nzz\r\n", b"body"),
    ],
)
def test_what_came_is_kept_with_partial_truncated(serve, client, response, content):
    answer = client(partial_truncated=True).fetch(FetchRequest(serve(response).url()))
    assert answer.status is ProtocolStatus.SUCCESS
    assert (answer.content, answer.truncated) == (content, "disconnect")


def test_nothing_is_not_kept_even_then(serve, client):
    server = serve(HEAD + b"Content-Length: 9\r\n\r\n")
    answer = client(partial_truncated=True).fetch(FetchRequest(server.url()))
    assert answer.status is ProtocolStatus.EXCEPTION


def test_misspelt_headers_are_understood(serve, client):
    server = serve(b"HTTP/1.1 200 OK\r\nCONTENTTYPE: text/html; charset=koi8-r\r\n\r\n...")
    answer = client().fetch(FetchRequest(server.url()))
    assert (answer.content_type, answer.charset_hint) == ("text/html", "koi8-r")


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    st.one_of(
        st.binary(max_size=200),
        st.builds(
            lambda status, lines, body: b"HTTP/1.1 " + status + b"\r\n" + lines + b"\r\n" + body,
            st.sampled_from([b"200 OK", b"302 Found", b"404 X", b"999", b"1 2", b"-20 x"]),
            st.lists(
                st.sampled_from(
                    [
                        b"Content-Encoding: gzip\r\n", b"Content-Encoding: br, zstd\r\n",
                        b"Transfer-Encoding: chunked\r\n", b"Content-Length: 7\r\n",
                        b"Location: //[/\r\n", b"Location: \xff\r\n", b"Content-Type: \xff;\r\n",
                        b":\r\n", b"\xfe: \xff\r\n", b"Content-Length: 99999999999999999999\r\n",
                    ]
                ),
                max_size=4,
            ).map(b"".join),
            st.binary(max_size=60),
        ),
    )
)  # fmt: skip
def test_whatever_comes_is_an_answer(serve, client, response):
    server = serve(response)
    answer = client(partial_truncated=True).fetch(FetchRequest(server.url()))
    assert answer.status is ProtocolStatus.SUCCESS or answer.reason or answer.location
    server.close()
