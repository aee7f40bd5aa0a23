"""Cookies: by record, by host, never to another host, and none that a server sets."""

from pathlib import Path

import pytest

from crawl_ops.errors import ConfigError
from crawl_ops.protocol.answer import FetchRequest
from crawl_ops.protocol.cookies import HostCookies

OK = b"HTTP/1.1 200 OK\r\nSet-Cookie: sid=1\r\nContent-Length: 0\r\n\r\n"


@pytest.fixture
def file(tmp_path):
    def write(text):
        path = tmp_path / "cookies.txt"
        path.write_text(text, encoding="utf-8")
        return str(path)

    return write


def test_the_cookie_of_a_host_goes_to_that_host_alone(serve, client, file):
    cookies = file("# host\tcookie\n\n127.0.0.1\ta=1; b=2\nLOCALHOST.example\tc=3\n")
    here, there = serve(OK), serve(OK, "127.0.0.2")
    http = client(agent_host_cookie_file=cookies)
    http.fetch(FetchRequest(here.url()))
    http.fetch(FetchRequest(there.url()))
    assert here.header("cookie") == "a=1; b=2"
    assert there.header("cookie") is None


def test_the_cookie_of_the_record_goes_first(serve, client, file):
    server = serve(OK)
    http = client(agent_host_cookie_file=file("127.0.0.1\ta=1"))
    http.fetch(FetchRequest(server.url(), cookie="mine=2"))
    assert server.header("cookie") == "mine=2"


def test_cookies_can_be_switched_off(serve, client, file):
    server = serve(OK)
    http = client(agent_host_cookie_file=file("127.0.0.1\ta=1"), enable_cookie_header=False)
    http.fetch(FetchRequest(server.url(), cookie="mine=2"))
    assert server.header("cookie") is None


def test_what_a_server_sets_is_not_sent_back(serve, client):
    server = serve(OK, keep=True)
    http = client()
    for _ in range(2):
        http.fetch(FetchRequest(server.url()))
    assert [server.header("cookie", n) for n in (0, 1)] == [None, None]


def test_a_cookie_cannot_smuggle_headers(serve, client):
    server = serve(OK)
    client().fetch(FetchRequest(server.url(), cookie="a=1\r\nX-Evil: 1"))
    assert server.header("cookie") is None
    assert server.header("x-evil") is None


@pytest.mark.parametrize("text", ["a.example a=1", "\ta=1", "a.example\t", "a.example\ta=\u20ac"])
def test_a_bad_line_is_named(client, file, text):
    with pytest.raises(ConfigError, match=r"cookies\.txt:2: a line is HOST TAB COOKIE"):
        client(agent_host_cookie_file=file(f"# one\n{text}\n"))


def test_a_file_that_cannot_be_read(client, tmp_path):
    with pytest.raises(ConfigError, match=r"http\.agent\.host\.cookie\.file"):
        client(agent_host_cookie_file=str(tmp_path / "none"))


def test_a_file_without_end_is_refused():
    with pytest.raises(ConfigError, match=r"/dev/zero: is larger than"):
        HostCookies(Path("/dev/zero"))
