"""http.auth.file: a password goes to its own host and port, and nowhere else."""

import base64
import ssl
from pathlib import Path

import pytest
import trustme

from crawl_ops.errors import ConfigError
from crawl_ops.model import ProtocolStatus
from crawl_ops.protocol.answer import FetchRequest
from crawl_ops.protocol.credentials import Credentials

BASIC = "Basic " + base64.b64encode(b"u:p\xc3\xb6").decode()


@pytest.fixture
def auth_file(tmp_path):
    def write(body: str) -> str:
        path = tmp_path / "httpclient-auth.xml"
        path.write_text(f"<auth-configuration>{body}</auth-configuration>", encoding="utf-8")
        return str(path)

    return write


def one(host: str, port: object = "", more: str = "") -> str:
    return (
        f'<credentials username="u" password="pö"><authscope host="{host}" port="{port}" {more}/>'
        "</credentials>"
    )


def guarded(challenge: str = 'Basic realm="site"'):
    def reply(request: bytes) -> bytes:
        if f"Authorization: {BASIC}".encode() in request:
            return b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
        return f"HTTP/1.1 401 No\r\nWWW-Authenticate: {challenge}\r\n\r\n".encode()

    return reply


def test_a_challenge_is_answered(serve, client, auth_file):
    server = serve(guarded())
    http = client(auth_file=auth_file(one("127.0.0.1", server.port)))
    answer = http.fetch(FetchRequest(server.url()))
    assert (answer.status, answer.content) == (ProtocolStatus.SUCCESS, b"ok")
    assert [b"Authorization" in request for request in server.requests] == [False, True]


def test_once_answered_the_next_request_goes_with_it(serve, client, auth_file):
    server = serve(guarded(), keep=True)
    http = client(auth_file=auth_file(one("127.0.0.1", server.port)))
    for _ in range(3):
        assert http.fetch(FetchRequest(server.url())).status is ProtocolStatus.SUCCESS
    assert [b"Authorization" in request for request in server.requests] == [False] + [True] * 3


def test_a_wrong_password_is_not_tried_for_ever(serve, client, auth_file):
    server = serve(b"HTTP/1.1 401 No\r\nWWW-Authenticate: Basic\r\n\r\n")
    http = client(auth_file=auth_file(one("127.0.0.1", server.port)))
    assert http.fetch(FetchRequest(server.url())).status is ProtocolStatus.ACCESS_DENIED
    assert len(server.requests) == 2


@pytest.mark.parametrize(
    ("challenge", "more"),
    [
        ('Digest realm="site", nonce="x"', ""),
        ('Basic realm="other"', 'realm="site"'),
        ("Negotiate", ""),
    ],
)
def test_another_challenge_is_not(serve, client, auth_file, challenge, more):
    server = serve(guarded(challenge))
    http = client(auth_file=auth_file(one("127.0.0.1", server.port, more)))
    answer = http.fetch(FetchRequest(server.url()))
    assert answer.status is ProtocolStatus.ACCESS_DENIED
    assert len(server.requests) == 1


def test_another_host_or_port_gets_none(serve, client, auth_file):
    server, other = serve(guarded()), serve(guarded(), "127.0.0.2")
    http = client(auth_file=auth_file(one("127.0.0.1", server.port)))
    for url in (other.url(), serve(guarded()).url()):
        assert http.fetch(FetchRequest(url)).status is ProtocolStatus.ACCESS_DENIED
    assert not any(b"Authorization" in request for request in other.requests)


def test_without_certificate_checks_none_goes_over_tls(serve, client, auth_file):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    trustme.CA().issue_cert("127.0.0.1").configure_cert(context)
    server = serve(guarded(), tls=context)
    http = client(auth_file=auth_file(one("127.0.0.1", server.port)))
    assert http.fetch(FetchRequest(server.url())).status is ProtocolStatus.ACCESS_DENIED
    assert len(server.requests) == 1


def test_without_a_port_the_default_one_is_meant(auth_file, tmp_path):
    credentials = Credentials(tmp_path / auth_file(one("A.example")).rpartition("/")[2])
    challenge = ['Basic realm="r"']
    assert credentials.answer("a.example", 80, "http", challenge) == BASIC
    assert credentials.answer("a.example", 443, "https", challenge) == BASIC
    assert credentials.answer("a.example", 8080, "http", challenge) is None
    assert credentials.answer("a.example", 443, "http", challenge) is None


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ('<credentials username="u" password="p"><default/></credentials>', "every host"),
        ('<credentials password="p"><authscope host="h"/></credentials>', "without username"),
        ('<credentials username="u" password="p"><authscope port="1"/></credentials>', "host="),
        (one("h", "x"), "is no port"),
        (one("h", "99999"), "is no port"),
        (one("h", 1, 'scheme="ntlm"'), "only basic"),
        ("<credentials", "is no XML"),
        ("<!DOCTYPE x>", "DOCTYPE"),
    ],
)
def test_a_wrong_file_is_told(client, auth_file, body, words):
    with pytest.raises(ConfigError, match=words):
        client(auth_file=auth_file(body))


def test_a_file_without_end_is_refused():
    with pytest.raises(ConfigError, match=r"/dev/zero: too large"):
        Credentials(Path("/dev/zero"))
