"""Serves a folder of static files on a loopback address, as a plain web server would.

python benchmarks/serve_folder.py FOLDER [--address 127.0.0.11] [--port 0]

index.html stands for its folder, a folder without a slash redirects, there are no listings, and
symbolic links lead nowhere outside the root.
"""

import argparse
import contextlib
import mimetypes
import os
import signal
import socket
import socketserver
import sys
import threading
from collections import Counter
from email.utils import formatdate, parsedate_to_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote, urlsplit

# Only Python's own table: the system's differs from one machine to the next.
TYPES = mimetypes.MimeTypes(filenames=())
CODED = {"gzip": "application/gzip", "bzip2": "application/x-bzip2", "xz": "application/x-xz"}


def content_type(file: Path) -> str:
    """The media type of a file by its name; packed files are what they are packed with."""
    kind, coding = TYPES.guess_type(file.name)
    if coding is not None:
        return CODED.get(coding, "application/octet-stream")
    return kind or ("text/plain" if not file.suffix else "application/octet-stream")


def file_of(root: Path, path: str) -> Path | None:
    """The file or folder beneath `root` that a URL path stands for; None where there is none."""
    name = unquote(path)
    if "\0" in name:
        return None
    file = (root / name.lstrip("/")).resolve()
    return file if file.is_relative_to(root) and file.exists() else None


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "FolderServer"
    sys_version = ""
    timeout = 60
    wbufsize = -1
    disable_nagle_algorithm = True
    server: "_Server"

    def do_GET(self) -> None:
        path = urlsplit(self.path).path
        file = file_of(self.server.root, path)
        if file is not None and file.is_dir():
            if not path.endswith("/"):
                self._answer(301, b"", {"Location": quote(unquote(path)) + "/"})
                return
            file = file_of(self.server.root, path + "index.html")
        elif path.endswith("/"):
            file = None
        if file is None or not file.is_file():
            self._answer(404, b"There is no such file.\n", {"Content-Type": "text/plain"})
            return
        changed = int(file.stat().st_mtime)
        headers = {
            "Content-Type": content_type(file),
            "Last-Modified": formatdate(changed, usegmt=True),
        }
        if self._has_copy_of(changed):
            self._answer(304, b"", headers)
        else:
            self._answer(200, file.read_bytes(), headers)

    def do_HEAD(self) -> None:
        self.do_GET()

    def _has_copy_of(self, changed: int) -> bool:
        try:
            since = parsedate_to_datetime(self.headers.get("If-Modified-Since", ""))
            return since.timestamp() >= changed
        except (TypeError, ValueError):
            return False

    def _answer(self, status: int, body: bytes, headers: dict[str, str]) -> None:
        self.server.count(status, self.path)
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if status != 304:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name there
        """Nothing: the counts are the log."""


class _Server(ThreadingHTTPServer):
    daemon_threads = False  # joined on close, so that no socket is left open
    request_queue_size = 128

    def __init__(self, root: Path, address: str, port: int) -> None:
        self.root = root
        self.requests: Counter[tuple[int, str]] = Counter()
        self._lock = threading.Lock()
        self._open: set[Any] = set()
        super().__init__((address, port), _Handler)

    def server_bind(self) -> None:
        # HTTPServer's own asks the resolver for its name, which may take seconds.
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = str(self.server_address[0]), self.server_address[1]

    def count(self, status: int, path: str) -> None:
        with self._lock:
            self.requests[status, path] += 1

    def get_request(self) -> tuple[Any, Any]:
        connection, peer = super().get_request()
        self._open.add(connection)
        return connection, peer

    def shutdown_request(self, request: Any) -> None:
        self._open.discard(request)
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hangs up is no fault of the server."""

    def close(self) -> None:
        self.shutdown()
        for connection in tuple(self._open):
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        self.server_close()


class FolderServer:
    """`with FolderServer(folder) as server: server.origin, server.requests`.

    `requests` counts (status, request target). Raises OSError where the address is taken,
    NotADirectoryError where there is no such folder.
    """

    def __init__(self, root: Path, address: str = "127.0.0.11", port: int = 0) -> None:
        if not root.is_dir():
            raise NotADirectoryError(str(root))
        self._server = _Server(root.resolve(), address, port)
        self.origin = f"http://{address}:{self._server.server_port}"
        self.requests = self._server.requests

    def __enter__(self) -> "FolderServer":
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.close()


def main() -> int:
    """Serve until SIGTERM or Ctrl-C."""
    parser = argparse.ArgumentParser(description="Serve a folder on loopback.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--address", default="127.0.0.11")
    parser.add_argument("--port", type=int, default=0)
    given = parser.parse_args()
    stop = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    signal.signal(signal.SIGINT, lambda *_: stop.set())
    try:
        server = FolderServer(given.folder, given.address, given.port)
    except OSError as error:
        print(
            f"{given.folder}: {os.strerror(error.errno) if error.errno else error}", file=sys.stderr
        )
        return 1
    with server:
        print(server.origin + "/", flush=True)
        stop.wait()
    return 0


if __name__ == "__main__":
    sys.exit(main())
