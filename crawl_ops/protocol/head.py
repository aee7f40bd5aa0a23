"""The status line and headers of an answer, read as leniently as Nutch's protocol-http does."""

import http.client
import io
import re
from typing import Any

from crawl_ops.protocol.exchange import Exchange, ExchangeError, current
from crawl_ops.protocol.wire import After, Readable, lines

HEADERS_MOST = 1_000
INTERIM_MOST = 10
STATUS_LINE = re.compile(
    rb"(?:HTTP/(\d)(?:\.(\d+))?|ICY)[ \t]+(\d{3})(?!\d):?[ \t]*(.*)", re.IGNORECASE
)
NOT_TEXT = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
HTTP_1_1 = 11
NO_BODY = {204, 304}


class LenientResponse(http.client.HTTPResponse):
    """An answer whose head is read under http.header.limit and the page's deadline.

    Differs from http.client: `200: OK`, `HTTP/2 200` and ICY are status lines; an answer without
    one is all body (Nutch, HTTP/0.9) unless the connection was used before; up to 1,000 headers,
    of any length within the limit; lines without a colon are left out; interim 1xx answers are
    skipped (RFC 9110 §15.2); a Content-Length that is no number, or that contradicts another,
    is ignored.
    """

    def __init__(
        self, sock: Any, debuglevel: int = 0, method: str | None = None, url: str | None = None
    ) -> None:
        self._exchange = current()
        readable: Any = Readable(sock, self._exchange)
        super().__init__(readable, debuglevel, method, url)
        self.fp: Any

    def begin(self) -> None:
        if self.headers is not None:
            return
        self._exchange.transfer_codings = []
        self._exchange.chunked = False
        for _ in range(INTERIM_MOST):
            if not self._read_head():
                return
            if not 100 <= self.status < 200:
                self._frame()
                return
            if self.status == 101:
                break
        raise ExchangeError(f"bad answer: {self.status} without an answer after it")

    def _read_head(self) -> bool:
        """False when there is no head: everything is body."""
        exchange = self._exchange
        line = self._first_line(exchange)
        match = STATUS_LINE.match(line)
        if match is None:
            self._without_head(line, exchange)
            return False
        major, minor, status, reason = match.groups()
        self.version = HTTP_1_1 if (major, minor) != (b"1", b"0") else 10
        self.status = int(status)
        self.reason = reason.decode("latin-1").strip()
        exchange.headers = _pairs(self.fp, exchange.header_limit, len(line))
        return True

    def _first_line(self, exchange: Exchange) -> bytes:
        for _ in range(4):  # RFC 9112 §2.2: an empty line before the start line is passed over
            line: bytes = self.fp.readline(exchange.header_limit)
            if not line:
                stale = exchange.reused and not exchange.received
                raise ExchangeError("closed: the server closed without an answer", stale=stale)
            if line.strip():
                return line
        raise ExchangeError("bad answer: empty lines instead of a status line")

    def _without_head(self, line: bytes, exchange: Exchange) -> None:
        if exchange.reused or NOT_TEXT.search(line) or line[:5].upper() == b"HTTP/":
            shown = ascii(line[:40].decode("latin-1"))
            raise ExchangeError(f"bad answer: no HTTP status line but {shown}")
        self.fp = io.BufferedReader(After(line, self.fp))
        self.version, self.status, self.reason = 9, 200, ""
        exchange.headers = []
        self.headers = self.msg = http.client.HTTPMessage()
        self.chunked = False
        self.length = None
        self.will_close = True

    def _frame(self) -> None:
        """Where the body ends (RFC 9112 §6.3), and whether the connection can be kept."""
        values = _framing(self._exchange.headers)
        codings = [part for value in values["transfer-encoding"] for part in _list(value)]
        self.chunked = codings[-1:] == ["chunked"]
        self._exchange.transfer_codings = [c for c in codings if c not in ("chunked", "identity")]
        self._exchange.chunked = self.chunked
        self.chunk_left = None
        self.length = None if self.chunked else _length(values["content-length"])
        if self.status in NO_BODY:
            self.length, self.chunked = 0, False
        # urllib3 wants this class, and looks in it for the length only; callers read the pairs.
        self.headers = self.msg = http.client.HTTPMessage()
        if self.length is not None:
            self.msg["content-length"] = str(self.length)
        options = [
            option
            for name in ("connection", "proxy-connection")
            for value in values[name]
            for option in _list(value)
        ]
        keeps = "keep-alive" in options or (self.version == HTTP_1_1 and "close" not in options)
        self.will_close = not keeps or (not self.chunked and self.length is None)


def _pairs(fp: io.BufferedReader, limit: int, used: int) -> list[tuple[bytes, bytes]]:
    pairs: list[tuple[bytes, bytes]] = []
    for line in lines(fp, limit, used):
        if not line:
            break
        if line[:1] in b" \t" and pairs:  # obs-fold, RFC 9112 §5.2
            name, value = pairs[-1]
            pairs[-1] = (name, value + b" " + line.strip())
            continue
        name, colon, value = line.partition(b":")
        if colon and name.strip():
            pairs.append((name.strip(), value.strip()))
        if len(pairs) > HEADERS_MOST:
            raise ExchangeError(f"headers: more than {HEADERS_MOST}")
    return pairs


def _framing(pairs: list[tuple[bytes, bytes]]) -> dict[str, list[str]]:
    values: dict[str, list[str]] = {
        "transfer-encoding": [],
        "content-length": [],
        "connection": [],
        "proxy-connection": [],
    }
    for name, value in pairs:
        known = values.get(name.decode("latin-1").lower())
        if known is not None:
            known.append(value.decode("latin-1").lower())
    return values


def _list(value: str) -> list[str]:
    return [part.strip() for part in value.split(",") if part.strip()]


def _length(values: list[str]) -> int | None:
    numbers = {part for value in values for part in _list(value)}
    if len(numbers) != 1:
        return None
    number = numbers.pop()
    return int(number) if number.isascii() and number.isdigit() and len(number) < 19 else None
