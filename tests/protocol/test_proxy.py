"""http.proxy.*: forwarded requests, tunnels, hosts that go without."""

import base64
import socket
import ssl
import threading

import pytest
import trustme

from crawl_ops.model import ProtocolStatus
from crawl_ops.protocol.answer import FetchRequest
from crawl_ops.protocol.proxy import Proxy

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nbody"


def test_a_forwarded_request_has_the_whole_url(serve, client):
    proxy = serve(OK, keep=True)
    http = client(
        proxy_host="127.0.0.1", proxy_port=proxy.port, proxy_username="u", proxy_password="p:@/"
    )
    for path in ("/a?b", "/c%20d"):
        answer = http.fetch(FetchRequest(f"http://nowhere.example:8080{path}"))
        assert (answer.status, answer.content) == (ProtocolStatus.SUCCESS, b"body")
    assert proxy.targets == ["http://nowhere.example:8080/a?b", "http://nowhere.example:8080/c%20d"]
    assert proxy.header("host") == "nowhere.example:8080"
    token = base64.b64encode(b"u:p:@/").decode()
    assert proxy.header("proxy-authorization") == f"Basic {token}"


class Tunnel:
    """A proxy for CONNECT, one connection after the other."""

    def __init__(self, answer: bytes) -> None:
        self.answer = answer
        self.heads: list[bytes] = []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self) -> None:
        while True:
            try:
                near, _ = self.listener.accept()
            except OSError:
                return
            with near:
                near.settimeout(5)
                self.serve(near)

    def serve(self, near: socket.socket) -> None:
        head = b""
        while b"\r\n\r\n" not in head:
            head += near.recv(1)
        self.heads.append(head)
        near.sendall(self.answer)
        if b" 200 " not in self.answer:
            return
        host, _, port = head.split(b" ")[1].decode().partition(":")
        with socket.create_connection((host, int(port)), timeout=5) as far:
            threads = [
                threading.Thread(target=pump, args=pair, daemon=True)
                for pair in ((near, far), (far, near))
            ]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()

    def close(self) -> None:
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        self.thread.join(5)


def pump(source: socket.socket, sink: socket.socket) -> None:
    try:
        while data := source.recv(65_536):
            sink.sendall(data)
        sink.shutdown(socket.SHUT_WR)
    except OSError:
        pass


def test_https_goes_through_a_tunnel(serve, client):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    trustme.CA().issue_cert("127.0.0.1").configure_cert(context)
    server = serve(OK, tls=context)
    tunnel = Tunnel(b"HTTP/1.1 200 Connected\r\n\r\n")
    http = client(proxy_host="127.0.0.1", proxy_port=tunnel.port)
    answer = http.fetch(FetchRequest(server.url("/x")))
    http.close()
    tunnel.close()
    assert (answer.status, answer.content) == (ProtocolStatus.SUCCESS, b"body")
    assert tunnel.heads[0].startswith(f"CONNECT 127.0.0.1:{server.port} HTTP/1.".encode())
    assert server.targets == ["/x"]


def test_a_proxy_that_refuses(client):
    tunnel = Tunnel(b"HTTP/1.1 407 Who are you\r\n\r\n")
    http = client(proxy_host="127.0.0.1", proxy_port=tunnel.port)
    answer = http.fetch(FetchRequest("https://127.0.0.1:9/"))
    tunnel.close()
    assert answer.reason.startswith("proxy: Tunnel connection failed: 407")


def test_addresses_written_in_a_url_are_still_refused(serve, client):
    proxy = serve(OK)
    http = client(
        proxy_host="127.0.0.1",
        proxy_port=proxy.port,
        **{"http.filter.ipaddress.exclude": "private"},
    )
    answer = http.fetch(FetchRequest("http://169.254.169.254/latest"))
    assert answer.reason == "address 169.254.169.254 is refused by http.filter.ipaddress.exclude"
    assert http.fetch(FetchRequest("http://a.example/")).status is ProtocolStatus.SUCCESS
    assert proxy.targets == ["http://a.example/"]


def test_exceptions_go_without(serve, client):
    proxy, server = serve(OK), serve(OK)
    http = client(
        proxy_host="127.0.0.1",
        proxy_port=proxy.port,
        **{"http.proxy.exception.list": "127.0.0.1"},
    )
    http.fetch(FetchRequest(server.url("/here")))
    assert (proxy.targets, server.targets) == ([], ["/here"])


def test_nutchs_exceptions(config, vectors):
    cases = [case for case in vectors("rules.jsonl") if case["op"] == "proxy-exception"]
    assert cases
    for case in cases:
        properties = {
            "http.proxy.host": "p",
            "http.proxy.port": 1,
            "http.proxy.exception.list": case["exceptions"],
        }
        proxy = Proxy(config(**properties).http)
        assert proxy.serves(case["host"]) is not case["expected"], case


def test_without_a_proxy_nothing_is_served(config):
    assert not Proxy(config().http).serves("a.example")


@pytest.mark.parametrize("variable", ["http_proxy", "HTTP_PROXY", "ALL_PROXY"])
def test_the_environment_is_not_asked(serve, client, monkeypatch, variable):
    monkeypatch.setenv(variable, "http://127.0.0.1:9")
    assert client().fetch(FetchRequest(serve(OK).url())).status is ProtocolStatus.SUCCESS
