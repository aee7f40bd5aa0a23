"""Messages between a ParserPool and its workers: four bytes of length, then msgpack."""

import struct
from typing import Any

import msgspec

from crawl_ops.parse.page import Page, Parsed

LENGTH = struct.Struct(">I")

_encoder = msgspec.msgpack.Encoder()
_pages = msgspec.msgpack.Decoder(list[Page])
_parsed = msgspec.msgpack.Decoder(Parsed)


class Setup(msgspec.Struct):
    """The first message to a worker: all properties, and how much memory it may take."""

    properties: dict[str, Any]
    memory_bytes: int


class Ready(msgspec.Struct):
    """A worker's first answer; `error` says why it cannot start."""

    error: str | None = None


def frame(message: object) -> bytes:
    """A message as it goes over the pipe."""
    body = _encoder.encode(message)
    return LENGTH.pack(len(body)) + body


def read_setup(body: bytes) -> Setup:
    """A Setup from the bytes of its frame."""
    return msgspec.msgpack.decode(body, type=Setup)


def read_ready(body: bytes) -> Ready:
    """A Ready from the bytes of its frame."""
    return msgspec.msgpack.decode(body, type=Ready)


def read_pages(body: bytes) -> list[Page]:
    """A batch of pages from the bytes of its frame."""
    return _pages.decode(body)


def read_parsed(body: bytes) -> Parsed:
    """A result from the bytes of its frame."""
    return _parsed.decode(body)
