"""The status line and headers of an answer, read as leniently as Nutch's protocol-http does."""

import http.client
import io
import re
from typing import Any

from crawl_ops.protocol.exchange import Exchange, ExchangeError
from crawl_ops.protocol.wire import After, Readable, head_lines

HEADERS_MOST = 1_000
INTERIM_MOST = 10
CHUNK_LINE_MOST = 65_536
_CHUNK_SIZE = re.compile(rb"[0-9A-Fa-f]{1,15}")
STATUS_LINE = re.compile(
    rb"(?:HTTP/(\d)(?:\.(\d+))?|ICY)[ \t]+(\d{3})(?!\d):?[ \t]*(.*)", re.IGNORECASE
)
NOT_TEXT = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
BLANKS = (b" ", b"\t")
CRLF = b"\r\n"
LINE_ENDS = (CRLF, b"\n")
HTTP_1_1 = 11
NO_BODY = {204, 304}


class LenientResponse(http.client.HTTPResponse):
    """An answer whose head is read under http.header.limit and the page's deadline.

    Differs from http.client: `200: OK`, `HTTP/2 200` and ICY are status lines; an answer without
    one is all body (Nutch, HTTP/0.9) unless the connection was used before; up to 1,000 headers,
    of any length within the limit; lines without a colon are left out; interim 1xx answers are
    skipped (RFC 9110 §15.2); a Content-Length that is no number is ignored, two that contradict
    each other are refused (RFC 9112 §6.3); lines of a chunked body may end with LF alone, as they
    may for curl, browsers and Nutch.
    """

    def __init__(self, sock: Any, exchange: Exchange) -> None:
        self._exchange = exchange
        self._is_complete = False
        readable: Any = Readable(sock, exchange)
        super().__init__(readable)
        self.fp: Any

    def begin(self) -> None:
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

    def piece(self, most: int) -> bytes:
        """The next bytes of the body, as they came; none at its end.

        Raises IncompleteRead when the server closes before that, ExchangeError.
        """
        if self._is_complete:
            return b""
        if self.chunked:
            data = self.read1(most)
        else:
            data = self.fp.read1(most if self.length is None else min(most, self.length))
            if self.length is not None:
                if self.length and not data:
                    raise http.client.IncompleteRead(b"", self.length)
                self.length -= len(data)
        self._is_complete = not data or self.length == 0
        return data

    def is_reusable(self) -> bool:
        """Whether the connection may carry another request.

        What came after the body is an answer that nobody asked for: the next one would be taken
        for what it is not.
        """
        if not self._is_complete or self.will_close:
            return False
        return bool(self._exchange.received == self.fp.tell())

    def _get_chunk_left(self) -> int | None:
        """As in http.client, but what ends a chunk's data is a line end, with or without CR."""
        if self.chunk_left == 0:
            end = self.fp.readline(len(CRLF))
            if end not in LINE_ENDS:
                raise http.client.IncompleteRead(b"")
            self.will_close = self.will_close or end != CRLF  # whose framing is its own
            self.chunk_left = None
        left: int | None = super()._get_chunk_left()  # type: ignore[misc]  # not in the stubs
        return left

    def _read_next_chunk_size(self) -> int:
        """Hexadecimal digits alone (RFC 9112 §7.1): int() takes signs, 0x and underscores too."""
        size = self.fp.readline(CHUNK_LINE_MOST).partition(b";")[0].strip()
        if not _CHUNK_SIZE.fullmatch(size):
            raise ValueError("a chunk without a size")
        return int(size, 16)

    def _close_conn(self) -> None:
        """The last chunk was read; the buffer is still asked what is left in it."""

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
        _read_headers(self.fp, exchange, len(line))
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
        exchange.headers, exchange.fields = [], {}
        self.chunked = False
        self.length = None
        self.will_close = True

    def _frame(self) -> None:
        """Where the body ends (RFC 9112 §6.3), and whether the connection can be kept."""
        fields = self._exchange.fields
        codings = _options(fields, b"transfer-encoding")
        self.chunked = codings[-1:] == ["chunked"]
        self._exchange.transfer_codings = [c for c in codings if c not in ("chunked", "identity")]
        self._exchange.chunked = self.chunked
        self.chunk_left = None
        self.length = None if self.chunked else _length(fields)
        if self.status in NO_BODY:
            self.length, self.chunked = 0, False
        options = _options(fields, b"connection") + _options(fields, b"proxy-connection")
        keeps = "keep-alive" in options or (self.version == HTTP_1_1 and "close" not in options)
        self.will_close = not keeps or (not self.chunked and self.length is None)


def _read_headers(fp: io.BufferedReader, exchange: Exchange, used: int) -> None:
    pairs: list[tuple[bytes, bytes]] = []
    for line in head_lines(fp, exchange.header_limit, used):
        if line[:1] in BLANKS and pairs:  # obs-fold, RFC 9112 §5.2
            name, value = pairs[-1]
            pairs[-1] = (name, value + b" " + line.strip())
            continue
        name, colon, value = line.partition(b":")
        name = name.strip()
        if colon and name:
            pairs.append((name, value.strip()))
    if len(pairs) > HEADERS_MOST:
        raise ExchangeError(f"headers: more than {HEADERS_MOST}")
    fields: dict[bytes, list[bytes]] = {}
    for name, value in pairs:
        key = name.lower()
        if key in fields:
            fields[key].append(value)
        else:
            fields[key] = [value]
    exchange.headers, exchange.fields = pairs, fields


def _options(fields: dict[bytes, list[bytes]], name: bytes) -> list[str]:
    values = fields.get(name)
    if values is None:
        return []
    return [
        option
        for value in values
        for part in value.decode("latin-1").lower().split(",")
        if (option := part.strip())
    ]


def _length(fields: dict[bytes, list[bytes]]) -> int | None:
    numbers = sorted(set(_options(fields, b"content-length")))
    if len(numbers) > 1:
        one, other, *_ = numbers
        raise ExchangeError(f"bad answer: Content-Length {one[:20]} and {other[:20]}")
    number = numbers[0] if numbers else ""
    return int(number) if number.isascii() and number.isdigit() and len(number) < 19 else None
