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
GZIP_MAGIC = b"\x1f\x8b"
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
        self._wbits = zlib.MAX_WBITS | 16
        self._start = b""  # what came of a member before its first two bytes were there
        self._inflate: zlib._Decompress | None = None
        self._members = 0
        self._done = False

    def feed(self, data: bytes) -> Iterator[bytes]:
        while data and not self._done:
            before = self._inflate.copy() if self._inflate is not None else None
            if before is None:
                data = self._open(self._start + data)
            if self._inflate is None:
                return
            try:
                piece = self._inflate.decompress(data, PIECE)
            except zlib.error as error:
                yield from self._salvage(before, data, error)
                return
            if piece:
                yield piece
            data = self._inflate.unconsumed_tail
            if self._inflate.eof:
                data = self._inflate.unused_data
                self._inflate = None
                self._done = not self._gzip

    def is_finished(self) -> bool:
        return self._done or (self._inflate is None and (self._members > 0 or not self._start))

    def _open(self, data: bytes) -> bytes:
        """Begins a member when enough of it is there to know what it is."""
        self._start = b""
        if len(data) < 2:
            self._start = data
        elif self._members and data[:2] != GZIP_MAGIC:
            self._done = True  # rubbish after the end
        else:
            if not self._gzip:
                is_zlib = data[0] & 0x0F == 8 and (data[0] << 8 | data[1]) % 31 == 0
                self._wbits = zlib.MAX_WBITS if is_zlib else -zlib.MAX_WBITS
            self._inflate = zlib.decompressobj(self._wbits)
            self._members += 1
        return data

    def _salvage(
        self, before: "zlib._Decompress | None", data: bytes, error: zlib.error
    ) -> Iterator[bytes]:
        """What a failing call had read and dropped, got again a byte at a time."""
        inflate = before or zlib.decompressobj(self._wbits)
        found: list[bytes] = []
        try:
            found.extend(inflate.decompress(data[at : at + 1]) for at in range(len(data)))
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
        self._done = False

    def feed(self, data: bytes) -> Iterator[bytes]:
        if self._done:
            return
        first, self._begun = not self._begun, True
        try:
            yield from self._pieces(data)
        except brotli.error as error:
            # Also raised for rubbish after the end, which can only be told from a fresh start.
            if not first:
                raise CodingError(f"broken br: {error}") from None
            yield from self._salvage(data)

    def is_finished(self) -> bool:
        return self._done or not self._begun

    def _pieces(self, data: bytes) -> Iterator[bytes]:
        while not self._brotli.is_finished():
            piece = self._brotli.process(data, output_buffer_limit=PIECE)
            data = b""
            if piece:
                yield piece
            if self._brotli.can_accept_more_data():
                break
        self._done = self._brotli.is_finished()

    def _salvage(self, data: bytes) -> Iterator[bytes]:
        self._brotli = brotli.Decompressor()
        try:
            for at in range(len(data)):
                yield from self._pieces(data[at : at + 1])
                if self._done:
                    return
        except brotli.error as error:
            raise CodingError(f"broken br: {error}") from None


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
