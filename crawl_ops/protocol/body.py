"""Reading a body under its limits: decoded bytes, time, and servers that hang up."""

import http.client
from typing import Any, NamedTuple

import urllib3

from crawl_ops.protocol.coding import CodingError, Decoding, codings_of
from crawl_ops.protocol.exchange import Exchange, ExchangeError, TimeLimitError

READ_BYTES = 65_536
CODED_SPARE = 1 << 20  # coded bytes may outnumber the decoded ones, but not for ever


class Body(NamedTuple):
    """`truncated` is None, length, time or disconnect; `reason` says what went wrong, if so."""

    content: bytes
    truncated: str | None = None
    reason: str | None = None


def read_body(raw: Any, exchange: Exchange, limit: int) -> Body:
    """The body of the urllib3 response `raw`, decoded, at most `limit` bytes (negative: all).

    Only a body that is longer than the limit is truncated. The connection goes back to its pool
    when the body was read to its end, and is closed when not.
    """
    pieces: list[bytes] = []
    try:
        cut = _read(raw, _decoding(exchange), limit, pieces)
    except TimeLimitError as error:
        return _ended(raw, pieces, "time", error.reason)
    except (ExchangeError, CodingError) as error:
        return _ended(raw, pieces, "disconnect", str(error))
    except (urllib3.exceptions.HTTPError, http.client.HTTPException, OSError, ValueError) as error:
        return _ended(raw, pieces, "disconnect", _words(error, exchange.chunked))
    if cut:
        return _ended(raw, pieces, "length", None, limit)
    return Body(pieces[0] if len(pieces) == 1 else b"".join(pieces))


def _decoding(exchange: Exchange) -> Decoding:
    values = [v.decode("latin-1") for k, v in exchange.headers if k.lower() == b"content-encoding"]
    return Decoding([*codings_of(values), *exchange.transfer_codings])


def _read(raw: Any, decoding: Decoding, limit: int, pieces: list[bytes]) -> bool:
    size = coded = 0
    most_coded = 2 * limit + CODED_SPARE if limit >= 0 else None
    while True:
        data = raw.read1(READ_BYTES, decode_content=False)
        if not data:
            break
        coded += len(data)
        if most_coded is not None and coded > most_coded:
            raise CodingError("broken body: coded bytes without end that decode to next to nothing")
        for piece in decoding.feed(data):
            pieces.append(piece)
            size += len(piece)
            if 0 <= limit < size:
                return True
    if not decoding.is_finished():
        raise CodingError("short body: the compressed data has no end")
    return False


def _ended(raw: Any, pieces: list[bytes], how: str, reason: str | None, limit: int = -1) -> Body:
    raw.close()
    content = b"".join(pieces)
    return Body(content[:limit] if limit >= 0 else content, how, reason)


def _words(error: Exception, chunked: bool) -> str:
    text = str(error)
    if chunked:
        return "broken body: its chunks stop too early, or are none"
    if "IncompleteRead" in text or "more expected" in text:
        return "short body: the server closed before its end"
    return f"broken body: {type(error).__name__}"
