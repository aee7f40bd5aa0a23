"""Servers of raw bytes on loopback, and clients with fast limits."""

import json
import socket
import ssl
import threading
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from crawl_ops.config.load import load
from crawl_ops.config.properties import CrawlConfig
from crawl_ops.protocol.http import HttpProtocol

# A busy machine is no finding.
settings.register_profile("protocol", deadline=None)
settings.load_profile("protocol")

DATA = Path(__file__).parent / "data"
Reply = bytes | Iterable[bytes] | Callable[[bytes], bytes | Iterable[bytes] | None]


class RawServer:
    """Answers each request with bytes, or with what a function makes of the request.

    A connection is closed after one answer unless `keep`; None as an answer resets it.
    """

    def __init__(self, reply: Reply, address: str, keep: bool, tls: ssl.SSLContext | None) -> None:
        self.requests: list[bytes] = []
        self.connections = 0
        self._reply, self._keep, self._tls = reply, keep, tls
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        self._listener = socket.create_server((address, 0), family=family)
        self.address = address
        self.port = self._listener.getsockname()[1]
        self.done = threading.Event()
        self._threads = [threading.Thread(target=self._accept, daemon=True)]
        self._threads[0].start()

    def url(self, path: str = "/", host: str | None = None) -> str:
        scheme = "https" if self._tls else "http"
        name = host or (f"[{self.address}]" if ":" in self.address else self.address)
        return f"{scheme}://{name}:{self.port}{path}"

    @property
    def targets(self) -> list[str]:
        """What was asked for."""
        return [request.split(b" ")[1].decode() for request in self.requests]

    def header(self, name: str, number: int = -1) -> str | None:
        """A header of one request."""
        for line in self.requests[number].decode("latin-1").split("\r\n")[1:]:
            key, _, value = line.partition(": ")
            if key.lower() == name.lower():
                return value
        return None

    def close(self) -> None:
        if self.done.is_set():
            return
        self.done.set()
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for thread in self._threads:
            thread.join(5)

    def _accept(self) -> None:
        while not self.done.is_set():
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self.connections += 1
            thread = threading.Thread(target=self._serve, args=(connection,), daemon=True)
            self._threads.append(thread)
            thread.start()

    def _serve(self, connection: socket.socket) -> None:
        connection.settimeout(0.2)
        try:
            if self._tls:
                connection = self._tls.wrap_socket(connection, server_side=True)
            while not self.done.is_set() and self._answer(connection):
                pass
        except OSError:
            pass
        finally:
            connection.close()

    def _answer(self, connection: socket.socket) -> bool:
        request = self._read(connection)
        if not request:
            return False
        self.requests.append(request)
        reply = self._reply(request) if callable(self._reply) else self._reply
        if reply is None:
            linger = (1).to_bytes(4, "little") + bytes(4)
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
            return False
        connection.settimeout(5)
        for piece in [reply] if isinstance(reply, bytes) else reply:
            if self.done.is_set():
                return False
            connection.sendall(piece)
        connection.settimeout(0.2)
        return self._keep

    def _read(self, connection: socket.socket) -> bytes:
        data = b""
        while b"\r\n\r\n" not in data and not self.done.is_set():
            try:
                piece = connection.recv(65_536)
            except TimeoutError:
                continue
            if not piece:
                return b""
            data += piece
        return data if b"\r\n\r\n" in data else b""


@pytest.fixture
def serve() -> Iterator[Callable[..., RawServer]]:
    servers: list[RawServer] = []

    def start(
        reply: Reply,
        address: str = "127.0.0.1",
        *,
        keep: bool = False,
        tls: ssl.SSLContext | None = None,
    ) -> RawServer:
        servers.append(RawServer(reply, address, keep, tls))
        return servers[-1]

    yield start
    for server in servers:
        server.close()


@pytest.fixture
def config() -> Callable[..., CrawlConfig]:
    """A configuration for loopback; properties by their field of `http`, or by full name."""

    def make(**properties: Any) -> CrawlConfig:
        given = {
            "http.agent.name": "testbot",
            "http.filter.ipaddress.exclude": "",
            "http.timeout": 2_000,
        }
        for name, value in properties.items():
            given[name if "." in name else f"http.{name.replace('_', '.')}"] = value
        return load(None, given)

    return make


@pytest.fixture
def client(config: Callable[..., CrawlConfig]) -> Iterator[Callable[..., HttpProtocol]]:
    clients: list[HttpProtocol] = []

    def make(**properties: Any) -> HttpProtocol:
        clients.append(HttpProtocol(config(**properties)))
        return clients[-1]

    yield make
    for one in clients:
        one.close()


@pytest.fixture(scope="session")
def vectors() -> Callable[[str], list[dict[str, Any]]]:
    def load_lines(name: str) -> list[dict[str, Any]]:
        text = (DATA / name).read_text(encoding="utf-8")
        return [json.loads(line) for line in text.split("\n") if line]

    return load_lines
