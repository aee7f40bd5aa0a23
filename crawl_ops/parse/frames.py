"""Messages between a ParserPool and its workers: four bytes of length, then msgpack."""

import struct
from typing import Any

import msgspec

from crawl_ops.parse.answer import Answer
from crawl_ops.parse.page import Page

LENGTH = struct.Struct(">I")

_encoder = msgspec.msgpack.Encoder()
_pages = msgspec.msgpack.Decoder(list[Page])
_answer = msgspec.msgpack.Decoder(Answer)


class Setup(msgspec.Struct):
    """The first message to a worker: all properties, and how much memory it may take."""

    properties: dict[str, Any]
    memory_bytes: int


class Ready(msgspec.Struct):
    """A worker's first answer; `error` says why it cannot start."""

    error: str | None = None


def frame(message: object) -> bytearray:
    """A message as it goes over the pipe."""
    data = bytearray()
    frame_into(message, data)
    return data


def frame_into(message: object, data: bytearray) -> None:
    """As frame, in the place of what `data` holds: its memory is used again."""
    _encoder.encode_into(message, data, LENGTH.size)
    LENGTH.pack_into(data, 0, len(data) - LENGTH.size)


def read_setup(body: bytes) -> Setup:
    """A Setup from the bytes of its frame."""
    return msgspec.msgpack.decode(body, type=Setup)


def read_ready(body: bytes) -> Ready:
    """A Ready from the bytes of its frame."""
    return msgspec.msgpack.decode(body, type=Ready)


def read_pages(body: bytes) -> list[Page]:
    """A batch of pages from the bytes of its frame."""
    return _pages.decode(body)


def read_answer(body: bytes) -> Answer:
    """A result from the bytes of its frame."""
    return _answer.decode(body)
