"""Reading a body under its limits: decoded bytes, time, and servers that hang up."""

import http.client
from typing import NamedTuple

from crawl_ops.protocol.coding import CodingError, Decoding, codings_of
from crawl_ops.protocol.exchange import Exchange, ExchangeError, TimeLimitError
from crawl_ops.protocol.head import LenientResponse

READ_BYTES = 65_536
CODED_SPARE = 1 << 20  # coded bytes may outnumber the decoded ones, but not for ever


class Body(NamedTuple):
    """`truncated` is None, length, time or disconnect; `reason` says what went wrong, if so."""

    content: bytes
    truncated: str | None = None
    reason: str | None = None


def read_body(response: LenientResponse, exchange: Exchange, limit: int) -> Body:
    """The body of an answer, decoded, at most `limit` bytes (negative: all).

    Only a body that is longer than the limit is truncated. Only one that was read to its end
    leaves its connection fit for another request.
    """
    pieces: list[bytes] = []
    try:
        cut = _read(response, _decoding(exchange), limit, pieces)
    except TimeLimitError as error:
        return Body(b"".join(pieces), "time", error.reason)
    except (ExchangeError, CodingError) as error:
        return Body(b"".join(pieces), "disconnect", str(error))
    except (http.client.HTTPException, OSError, ValueError) as error:
        return Body(b"".join(pieces), "disconnect", _words(error, exchange.chunked))
    content = pieces[0] if len(pieces) == 1 else b"".join(pieces)
    return Body(content[:limit], "length") if cut else Body(content)


def _decoding(exchange: Exchange) -> Decoding:
    coded = exchange.fields.get(b"content-encoding", ())
    codings = codings_of(value.decode("latin-1") for value in coded)
    return Decoding([*codings, *exchange.transfer_codings])


def _read(response: LenientResponse, decoding: Decoding, limit: int, pieces: list[bytes]) -> bool:
    size = coded = 0
    most_coded = 2 * limit + CODED_SPARE if limit >= 0 else None
    while data := response.piece(READ_BYTES):
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


def _words(error: Exception, chunked: bool) -> str:
    if chunked:
        return "broken body: its chunks stop too early, or are none"
    if isinstance(error, http.client.IncompleteRead):
        return "short body: the server closed before its end"
    return f"broken body: {type(error).__name__}"
