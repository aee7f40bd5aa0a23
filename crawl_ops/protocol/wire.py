"""Reading from a socket under a deadline that no dripping server can stretch."""

import io
import re
from typing import Any

from crawl_ops.protocol.exchange import Exchange, ExchangeError

BUFFER_BYTES = 16_384


class DeadlineReader(io.RawIOBase):
    """A socket's bytes; every read ends by http.timeout or the page's deadline.

    A socket's own timeout is per recv, so a byte a second would hold a thread for ever; headers
    and chunk sizes are read by readline, where no loop of ours could look at the clock.
    """

    def __init__(self, sock: Any, exchange: Exchange) -> None:
        self._sock = sock
        self._exchange = exchange

    def readable(self) -> bool:
        return True

    def tell(self) -> int:
        """Bytes of the answer so far; by it a buffer in front knows how many are left in it."""
        return self._exchange.received

    def readinto(self, buffer: Any) -> int | None:
        exchange = self._exchange
        step = exchange.step_s()
        if step < exchange.timeout_s:
            self._sock.settimeout(step)
        try:
            count: int = self._sock.recv_into(buffer)
        except TimeoutError:
            if step < exchange.timeout_s:
                raise exchange.over() from None
            raise ExchangeError(
                f"read timeout: nothing came for {exchange.timeout_s:g} s"
            ) from None
        except OSError as error:
            stale = exchange.reused and not exchange.received
            raise ExchangeError(f"reset: {_words(error)}", stale=stale) from None
        exchange.received += count
        return count


class After(io.RawIOBase):
    """Bytes that were already read, then the rest of a stream."""

    def __init__(self, first: bytes, rest: io.BufferedReader) -> None:
        self._first = first
        self._rest = rest

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._first[: len(buffer)] or self._rest.read1(len(buffer))
        self._first = self._first[len(data) :]
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        self._rest.close()
        super().close()


class Readable:
    """Makes http.client read through a DeadlineReader: it asks its socket for a file."""

    def __init__(self, sock: Any, exchange: Exchange) -> None:
        self._sock = sock
        self._exchange = exchange

    def makefile(self, _mode: str) -> io.BufferedReader:
        return io.BufferedReader(DeadlineReader(self._sock, self._exchange), BUFFER_BYTES)


def head_lines(fp: io.BufferedReader, limit: int, used: int) -> list[bytes]:
    """Header lines, with carriage returns at their ends, of `limit` bytes with those `used`.

    They end at an empty line, or with the stream. Raises ExchangeError with a reason of its own
    when there are more bytes. A head that has come as a whole is cut up at once.
    """
    left = limit - used
    end = _HEAD_END.search(fp.peek())
    if end is not None and end.end() <= left:
        return fp.read(end.end()).split(b"\n")[:-2]
    lines: list[bytes] = []
    while True:
        line = fp.readline(left + 1)
        left -= len(line)
        if left < 0:
            raise ExchangeError(f"headers: more than {limit} bytes (http.header.limit)")
        line = line.rstrip(b"\r\n")
        if not line:
            return lines
        lines.append(line)


_HEAD_END = re.compile(rb"(?:\A|\n)\r*\n")


def _words(error: OSError) -> str:
    return (error.strerror or type(error).__name__).lower()
