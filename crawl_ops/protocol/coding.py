"""Content codings, undone piece by piece so that a bomb is stopped where the limit is.

gzip (several members, any rubbish after them), deflate (zlib and raw), br and zstd, stacked up to
five deep (RFC 9110 §8.4). What is no known coding is taken as none.
"""

import re
import zlib
from collections.abc import Iterable, Iterator
from typing import Protocol

import brotli
import zstandard

PIECE = 262_144  # most bytes that one step of a decoder gives
ZSTD_STEP = 512  # a zstd block of 4 bytes can stand for 128 KiB: at most 16 MiB a step
ZSTD_WINDOW = 8 << 20  # RFC 9659
STACKED_MOST = 5
CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
CHECKSUM = ("incorrect data check", "incorrect length check")


class CodingError(Exception):
    """The coded bytes are broken; what could be read before was handed out. Stays in the room."""


class Decoder(Protocol):
    """Undoes one coding."""

    def feed(self, data: bytes) -> Iterator[bytes]: ...

    def is_finished(self) -> bool: ...


class _Inflate:
    """gzip or deflate."""

    def __init__(self, *, gzip: bool) -> None:
        self._gzip = gzip
        self._start = b""
        self._inflate = zlib.decompressobj(zlib.MAX_WBITS | 16)
        self._begun = False
        self._done = False

    def feed(self, data: bytes) -> Iterator[bytes]:
        if not self._begun:
            data = self._start + data
            if len(data) < 2:
                self._start = data
                return
            self._open(data)
        while data and not self._done:
            before = self._inflate.copy() if self._begun else None
            self._begun = True
            try:
                piece = self._inflate.decompress(data, PIECE)
            except zlib.error as error:
                yield from self._salvage(before, data, error)
                return
            if piece:
                yield piece
            data = self._inflate.unconsumed_tail
            if self._inflate.eof:
                data = self._next_member()

    def is_finished(self) -> bool:
        return self._done or not (self._begun or self._start)

    def _open(self, data: bytes) -> None:
        if not self._gzip:
            looks_zlib = data[0] & 0x0F == 8 and (data[0] << 8 | data[1]) % 31 == 0
            self._inflate = zlib.decompressobj(zlib.MAX_WBITS if looks_zlib else -zlib.MAX_WBITS)

    def _next_member(self) -> bytes:
        rest = self._inflate.unused_data
        if self._gzip and rest[:2] == b"\x1f\x8b":
            self._inflate = zlib.decompressobj(zlib.MAX_WBITS | 16)
            return rest
        self._done = True
        return b""

    def _salvage(
        self, before: "zlib._Decompress | None", data: bytes, error: zlib.error
    ) -> Iterator[bytes]:
        """What a failing call had read and dropped, got again a byte at a time."""
        if before is None:
            before = zlib.decompressobj(zlib.MAX_WBITS | 16) if self._gzip else None
        if before is None:
            raise CodingError(f"broken deflate: {error}") from None
        found: list[bytes] = []
        try:
            found.extend(before.decompress(data[at : at + 1]) for at in range(len(data)))
        except zlib.error as again:
            error = again
        yield from filter(None, [b"".join(found)])
        if not any(words in str(error) for words in CHECKSUM):
            raise CodingError(f"broken {'gzip' if self._gzip else 'deflate'}: {error}") from None
        self._done = True  # all bytes are there, only the sum is wrong: browsers take it


class _Brotli:
    def __init__(self) -> None:
        self._brotli = brotli.Decompressor()
        self._begun = False

    def feed(self, data: bytes) -> Iterator[bytes]:
        self._begun = True
        try:
            while not self._brotli.is_finished():
                piece = self._brotli.process(data, output_buffer_limit=PIECE)
                data = b""
                if piece:
                    yield piece
                if self._brotli.can_accept_more_data():
                    return
        except brotli.error as error:
            raise CodingError(f"broken br: {error}") from None

    def is_finished(self) -> bool:
        return not self._begun or bool(self._brotli.is_finished())


class _Zstd:
    def __init__(self) -> None:
        self._context = zstandard.ZstdDecompressor(max_window_size=ZSTD_WINDOW)
        self._frame: zstandard.ZstdDecompressionObj | None = None
        self._begun = False

    def feed(self, data: bytes) -> Iterator[bytes]:
        view = memoryview(data)
        for at in range(0, len(view), ZSTD_STEP):
            yield from self._step(bytes(view[at : at + ZSTD_STEP]))

    def _step(self, data: bytes) -> Iterator[bytes]:
        while data:
            if self._frame is None:
                if self._begun and data[1:4] not in (b"\xb5\x2f\xfd", b"\x2a\x4d\x18"):
                    return  # rubbish after the last frame
                self._frame = self._context.decompressobj()
            self._begun = True
            try:
                piece = self._frame.decompress(data)
            except zstandard.ZstdError as error:
                raise CodingError(f"broken zstd: {error}") from None
            if piece:
                yield piece
            if not self._frame.eof:
                return
            data = self._frame.unused_data
            self._frame = None

    def is_finished(self) -> bool:
        return self._frame is None


class _Lenient:
    """A coding that the server may only have claimed: a readable first piece that does not decode
    is taken as it is.
    """

    def __init__(self, decoder: Decoder) -> None:
        self._decoder: Decoder | None = decoder
        self._given = False
        self._seen = b""

    def feed(self, data: bytes) -> Iterator[bytes]:
        if self._decoder is None:
            yield data
            return
        if not self._given:
            self._seen = (self._seen + data)[:PIECE]
        try:
            for piece in self._decoder.feed(data):
                self._given = True
                yield piece
        except CodingError:
            if self._given or CONTROL.search(self._seen[:1024]):
                raise
            self._decoder = None
            yield self._seen

    def is_finished(self) -> bool:
        return self._decoder is None or self._decoder.is_finished()


class Decoding:
    """All codings of a body, undone in order; the first in `codings` was applied first."""

    def __init__(self, codings: Iterable[str]) -> None:
        known = [c for c in (_NAMES.get(name) for name in codings) if c]
        if len(known) > STACKED_MOST:
            raise CodingError(f"more than {STACKED_MOST} content codings")
        self._decoders: list[Decoder] = [_Lenient(_decoder(c)) for c in reversed(known)]

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Decoded pieces, made only as they are asked for."""
        return self._through(data, 0)

    def _through(self, data: bytes, depth: int) -> Iterator[bytes]:
        if depth == len(self._decoders):
            yield data
            return
        for piece in self._decoders[depth].feed(data):
            yield from self._through(piece, depth + 1)

    def is_finished(self) -> bool:
        """False when the coded data stopped in the middle."""
        return all(decoder.is_finished() for decoder in self._decoders)


def _decoder(coding: str) -> Decoder:
    if coding == "br":
        return _Brotli()
    if coding == "zstd":
        return _Zstd()
    return _Inflate(gzip=coding == "gzip")


def codings_of(values: Iterable[str]) -> list[str]:
    """The codings of Content-Encoding headers, lower case, in the order they were applied."""
    return [name.strip().lower() for value in values for name in value.split(",") if name.strip()]


_NAMES = {
    "gzip": "gzip",
    "x-gzip": "gzip",
    "deflate": "deflate",
    "br": "br",
    "zstd": "zstd",
}
