"""Kept connections: used again, replaced when they died, bounded."""

import contextlib
import socket
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from crawl_ops.model import ProtocolStatus
from crawl_ops.protocol import transport
from crawl_ops.protocol.answer import FetchRequest

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nbody"
CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n0\r\n\r\n"
GONE = b"HTTP/1.1 404 No\r\nContent-Length: 4\r\n\r\nbody"
MOVED = b"HTTP/1.1 302 M\r\nLocation: /x\r\nContent-Length: 4\r\n\r\nbody"


def test_one_connection_for_many_requests(serve, client):
    replies = iter([OK, CHUNKED, GONE, MOVED, b"HTTP/1.1 204 X\r\n\r\n", OK])
    server = serve(lambda _request: next(replies), keep=True)
    http = client()
    codes = [http.fetch(FetchRequest(server.url())).http_status for _ in range(6)]
    assert codes == [200, 200, 404, 302, 204, 200]
    assert server.connections == 1


def test_a_kept_connection_knows_its_address(serve, client):
    server = serve(OK, keep=True)
    http = client()
    answers = [http.fetch(FetchRequest(server.url())) for _ in range(2)]
    assert [answer.ip_address for answer in answers] == ["127.0.0.1"] * 2


def test_connection_close_is_obeyed(serve, client):
    server = serve(OK.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"), keep=True)
    http = client()
    for _ in range(2):
        assert http.fetch(FetchRequest(server.url())).status is ProtocolStatus.SUCCESS
    assert server.connections == 2


def test_a_cut_body_closes_its_connection(serve, client):
    server = serve(b"HTTP/1.1 200 OK\r\nContent-Length: 500000\r\n\r\n" + b"x" * 500_000, keep=True)
    http = client(content_limit=1_000)
    for _ in range(2):
        assert http.fetch(FetchRequest(server.url())).truncated == "length"
    assert server.connections == 2


def test_a_connection_that_died_meanwhile_is_replaced(serve, client):
    hang_up = threading.Event()

    def reply(_request):
        if hang_up.is_set():
            hang_up.clear()
            return None  # reset, after the request was read: the client could not know
        return OK

    server = serve(reply, keep=True)
    http = client()
    assert http.fetch(FetchRequest(server.url())).status is ProtocolStatus.SUCCESS
    hang_up.set()
    assert http.fetch(FetchRequest(server.url())).status is ProtocolStatus.SUCCESS
    assert (server.connections, len(server.requests)) == (2, 3)


def test_a_new_connection_that_dies_is_not_tried_again(serve, client):
    server = serve(lambda _request: None)
    answer = client().fetch(FetchRequest(server.url()))
    assert answer.reason == "reset: connection reset by peer"
    assert len(server.requests) == 1


UNASKED = b"HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\nunasked"


@pytest.mark.parametrize("first", [OK, CHUNKED])
@pytest.mark.parametrize("left_over", [b"x", UNASKED])
def test_an_answer_out_of_step_is_not_taken_for_a_page(serve, client, first, left_over):
    replies = iter([first + left_over, OK])
    server = serve(lambda _request: next(replies), keep=True)
    http = client()
    assert http.fetch(FetchRequest(server.url())).content == b"body"
    assert http.fetch(FetchRequest(server.url())).content == b"body"
    assert server.connections == 2


def test_a_connection_whose_chunks_end_as_they_like_is_not_used_again(serve, client):
    bare = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\nbody\n0\n\n"
    replies = iter([bare, OK])
    server = serve(lambda _request: next(replies), keep=True)
    http = client()
    assert http.fetch(FetchRequest(server.url())).content == b"body"
    assert http.fetch(FetchRequest(server.url())).content == b"body"
    assert server.connections == 2


def test_an_answer_that_comes_unasked_while_a_connection_is_idle_is_nobodys(client):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        idle = threading.Event()
        sent = threading.Event()

        def serve() -> None:
            for late in (UNASKED, b""):
                connection, _ = listener.accept()
                with connection:
                    while b"\r\n\r\n" not in connection.recv(4096):
                        pass
                    connection.sendall(OK)
                    assert idle.wait(5)
                    connection.sendall(late)
                    sent.set()
                    with contextlib.suppress(ConnectionResetError):
                        connection.recv(4096)

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        http = client()
        url = f"http://127.0.0.1:{listener.getsockname()[1]}/"
        assert http.fetch(FetchRequest(url)).content == b"body"
        idle.set()
        assert sent.wait(5)
        assert http.fetch(FetchRequest(url)).content == b"body"
        http.close()
        thread.join(5)


def test_more_hosts_than_pools(serve, client, monkeypatch):
    monkeypatch.setattr(transport, "_pools", lambda: 2)
    server = serve(OK, "127.0.0.1", keep=True)
    servers = [server, *(serve(OK, f"127.0.0.{n}", keep=True) for n in (2, 3))]
    http = client()
    for _ in range(2):
        for one in servers:
            assert http.fetch(FetchRequest(one.url())).status is ProtocolStatus.SUCCESS
    assert [one.connections for one in servers] == [2, 2, 2]


def test_many_threads_share_one_client(serve, client):
    servers = [serve(lambda r: OK if b"/ok" in r else GONE, f"127.0.0.{n}", keep=True)
               for n in range(1, 5)]  # fmt: skip
    http = client()

    def ask(number: int) -> bool:
        path = "/ok" if number % 3 else "/gone"
        answer = http.fetch(FetchRequest(servers[number % 4].url(path)))
        return answer.http_status == (200 if number % 3 else 404)

    with ThreadPoolExecutor(16) as threads:
        assert all(threads.map(ask, range(400)))


def test_after_close_a_client_is_of_use_still(serve, client):
    server = serve(OK)
    http = client()
    http.close()
    assert http.fetch(FetchRequest(server.url())).status is ProtocolStatus.SUCCESS
