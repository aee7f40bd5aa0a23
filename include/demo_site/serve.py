"""The demo site: three small hosts on loopback, with what makes crawling hard in them.

    python include/demo_site/serve.py --port 8765

Pages are the files beside this one; what a file cannot do (redirects, a slow page, a broken gzip,
a calendar without end ...) is said in site.toml. Only the standard library is needed.
"""

import argparse
import contextlib
import gzip
import hashlib
import json
import re
import signal
import socket
import socketserver
import sys
import threading
import tomllib
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import parse_qs, unquote, urlsplit

FOLDER = Path(__file__).resolve().parent
DEFAULT_PORT = 8765
LAST_MODIFIED = "Sun, 01 Nov 2026 09:00:00 GMT"
PLAIN, HTML = "text/plain; charset=utf-8", "text/html; charset=utf-8"
TYPES = {".html": HTML, ".xml": "application/xml", ".css": "text/css", ".png": "image/png"}
FILLER = b"Item: a clock, stopped. Condition: punctual twice a day. "
# A gzip header, then a block of the type that does not exist: nothing at all can be unpacked.
BROKEN_GZIP = bytes.fromhex("1f8b0800000000000003") + b"\x07" * 64


class Request(NamedTuple):
    """One request as the site saw it: for tests that ask what a crawl did."""

    url: str
    method: str
    status: int
    headers: dict[str, str]  # names in lower case


@dataclass(frozen=True, slots=True)
class Row:
    """One row of site.toml."""

    file: str | None = None
    status: int = 200
    location: str | None = None
    type: str | None = None
    headers: dict[str, str] = field(default_factory=dict)
    delay_s: float = 0.0
    encoding: str | None = None
    fill_bytes: int = 0
    text: str | None = None


@dataclass(slots=True)
class Answer:
    """What is sent back."""

    status: int
    body: bytes
    headers: dict[str, str]
    delay_s: float = 0.0


class Host:
    """One host of the site: which answer a request target gets."""

    def __init__(self, name: str, table: dict[str, Any], port: int) -> None:
        self.address: str = table["address"]
        self._folder = FOLDER / name
        self._rows = {path: Row(**row) for path, row in table["paths"].items()}
        self._port = str(port).encode()

    def answer(self, target: str) -> Answer:
        parts = urlsplit(target)
        path = re.sub(r";[^/]*$", "", unquote(parts.path))
        row = self._row(path)
        body, suffix = self._body(path, row)
        if body is None or (body := _calendar(body, parts.query)) is None:
            return Answer(404, b"Not on these shelves.\n", {"Content-Type": PLAIN})
        headers = {"Content-Type": row.type or TYPES.get(suffix, PLAIN), **row.headers}
        if row.location is not None:
            headers["Location"] = self._with_port(row.location.encode()).decode()
        if row.status == 200:
            digest = hashlib.sha256(body).hexdigest()
            headers |= {"ETag": f'"{digest[:16]}"', "Last-Modified": LAST_MODIFIED}
        if row.encoding is not None:
            headers["Content-Encoding"] = "gzip"
            body = BROKEN_GZIP if row.encoding == "broken-gzip" else gzip.compress(body, mtime=0)
        return Answer(row.status, body, headers, row.delay_s)

    def _row(self, path: str) -> Row:
        if path in self._rows:
            return self._rows[path]
        for rule, row in self._rows.items():
            if rule.endswith("/*") and path.startswith(rule[:-1]):
                return row
        return Row()

    def _body(self, path: str, row: Row) -> tuple[bytes | None, str]:
        if row.text is not None:
            return row.text.encode(), ".txt"
        if row.location is not None:
            return b"Moved.\n", ".txt"
        name = row.file or path.lstrip("/") + ("index.html" if path.endswith("/") else "")
        file = (self._folder / name).resolve()
        inside = file.is_relative_to(self._folder if row.file is None else FOLDER)
        if not (inside and file.is_file()):
            return None, ""
        body = file.read_bytes()
        if file.suffix in (".html", ".xml", ".txt"):
            body = self._with_port(body)
        if row.fill_bytes:
            body = body.replace(b"{filler}", FILLER * (row.fill_bytes // len(FILLER) + 1))
        return body, file.suffix

    def _with_port(self, text: bytes) -> bytes:
        return text.replace(b"{port}", self._port)


def _calendar(body: bytes, query: str) -> bytes | None:
    if b"{month}" not in body:
        return body
    match = re.fullmatch(r"([0-9]{4})-(0[1-9]|1[0-2])", parse_qs(query).get("month", [""])[0])
    if match is None:
        return None
    months = int(match[1]) * 12 + int(match[2]) - 1
    for name, number in (("month", months), ("previous", months - 1), ("next", months + 1)):
        text = f"{number // 12:04d}-{number % 12 + 1:02d}"
        body = body.replace(b"{%s}" % name.encode(), text.encode())
    return body


class _Handler(BaseHTTPRequestHandler):
    """Answers GET and HEAD over a connection that is kept."""

    protocol_version = "HTTP/1.1"
    server_version = "WrenfieldDemo"
    sys_version = ""
    timeout = 60
    wbufsize = -1  # head and body leave in one packet
    disable_nagle_algorithm = True
    server: "_Server"

    def do_GET(self) -> None:
        answer = self.server.host.answer(self.path)
        if answer.status == 200 and self._is_known(answer):
            answer.status, answer.body = 304, b""
        if answer.delay_s:
            self.server.closing.wait(answer.delay_s)
        self._remember(answer.status)
        self.send_response(answer.status)
        for name, value in answer.headers.items():
            self.send_header(name, value)
        if answer.status != 304:
            self.send_header("Content-Length", str(len(answer.body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(answer.body)

    def do_HEAD(self) -> None:
        self.do_GET()

    def _is_known(self, answer: Answer) -> bool:
        # RFC 9110 13.2.2: If-Modified-Since only counts where there is no If-None-Match.
        wanted = self.headers.get("If-None-Match")
        if wanted is not None:
            return answer.headers["ETag"] in wanted
        try:
            since = parsedate_to_datetime(self.headers.get("If-Modified-Since", ""))
            return since >= parsedate_to_datetime(answer.headers["Last-Modified"])
        except (TypeError, ValueError):
            return False

    def _remember(self, status: int) -> None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        seen = Request(self.server.origin + self.path, self.command, status, headers)
        self.server.log.append(seen)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name there
        """Keep standard error quiet; DemoSite.requests is the log."""


class _Server(ThreadingHTTPServer):
    """One host. Its threads are joined when it closes, so that no socket is left open."""

    daemon_threads = False
    request_queue_size = 128
    allow_reuse_port = True  # two runs at once have a site each: neither takes the other's away

    def __init__(self, address: str, port: int, log: list[Request]) -> None:
        self.host: Host  # set as soon as the port is known
        self.log = log
        self.closing = threading.Event()
        self._open: set[Any] = set()
        super().__init__((address, port), _Handler)
        self.origin = f"http://{address}:{self.server_port}"

    def server_bind(self) -> None:
        # HTTPServer's own asks the resolver for its name, which may take seconds.
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = str(self.server_address[0]), self.server_address[1]

    def get_request(self) -> tuple[Any, Any]:
        connection, peer = super().get_request()
        self._open.add(connection)
        return connection, peer

    def shutdown_request(self, request: Any) -> None:
        self._open.discard(request)
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hangs up is no fault of the site."""

    def close(self) -> None:
        self.closing.set()
        self.shutdown()
        for connection in tuple(self._open):
            with contextlib.suppress(OSError):  # hung up in the meantime
                connection.shutdown(socket.SHUT_RDWR)
        self.server_close()


class DemoSite:
    """The site while it runs: `with DemoSite(port=0) as site: ...`.

    Port 0 takes a free one. `requests` fills as requests come in. Another process of the same
    user may serve the same port, and each answers a part. Raises OSError when something else has
    the port, or when the system has no 127.0.0.2 (macOS: `sudo ifconfig lo0 alias 127.0.0.2`).
    """

    def __init__(self, port: int = 0) -> None:
        self.requests: list[Request] = []
        tables = tomllib.loads((FOLDER / "site.toml").read_text(encoding="utf-8"))
        self._servers = _bind([t["address"] for t in tables.values()], port, self.requests)
        self.port: int = self._servers[0].server_port
        for server, (name, table) in zip(self._servers, tables.items(), strict=True):
            server.host = Host(name, table, self.port)
        self.origins: tuple[str, ...] = tuple(server.origin for server in self._servers)
        self.seeds: tuple[str, ...] = tuple(f"{origin}/" for origin in self.origins)

    def __enter__(self) -> "DemoSite":
        for server in self._servers:
            threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        for server in self._servers:
            server.close()

    def expected(self) -> dict[str, Any]:
        """expected.json with this site's port in it: what a crawl of depth 5 must come to."""
        text = (FOLDER / "expected.json").read_text(encoding="utf-8")
        return dict(json.loads(text.replace("{port}", str(self.port))))


def _bind(addresses: list[str], port: int, log: list[Request]) -> list[_Server]:
    for _ in range(20):  # a free port of one address may be taken at another
        servers: list[_Server] = []
        try:
            for address in addresses:
                same = servers[0].server_port if servers else port
                servers.append(_Server(address, same, log))
            return servers
        except OSError:
            for server in servers:
                server.server_close()
            if port:
                raise
    raise OSError(f"no port is free on all of {', '.join(addresses)}")


def main() -> int:
    """Serve until SIGTERM or Ctrl-C."""
    parser = argparse.ArgumentParser(description="Serve the demo site on loopback.")
    parser.add_argument("--port", type=int, default=DEFAULT_PORT, help="0 takes a free one")
    port = parser.parse_args().port
    stop = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    signal.signal(signal.SIGINT, lambda *_: stop.set())
    try:
        site = DemoSite(port)
    except OSError as error:
        sys.stderr.write(f"port {port}: {error.strerror or error}\n")
        return 1
    with site:
        sys.stdout.write("".join(f"{seed}\n" for seed in site.seeds))
        sys.stdout.flush()
        stop.wait()
    return 0


if __name__ == "__main__":
    sys.exit(main())
