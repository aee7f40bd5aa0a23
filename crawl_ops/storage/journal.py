"""The journal of an open part file: what is in it survives a kill -9 of its writer.

A frame is length, CRC-32 and a msgpack record; a torn last frame is ignored. The file is locked
by its writer for as long as that lives, so that nobody takes over the journal of a live attempt.
"""

import fcntl
import logging
import os
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Self, TypeVar

import msgspec

from crawl_ops.errors import StoreError, os_reason

log = logging.getLogger(__name__)

Record = TypeVar("Record")
_HEAD = struct.Struct("<II")
_LONGEST_FRAME = 1 << 31


class Journal:
    """Appends records to a new local file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.bytes = 0
        self._encoder = msgspec.msgpack.Encoder()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o644)
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise StoreError(f"{path}: {os_reason(error)}") from error

    def append(self, record: Any) -> None:
        """Write one record. Raises StoreError when the disk is full."""
        payload = self._encoder.encode(record)
        head = _HEAD.pack(len(payload), zlib.crc32(payload))
        size = len(head) + len(payload)
        try:
            done = os.writev(self._file, (head, payload))
            if done < size:  # the disk is nearly full, or a signal came
                rest = memoryview(head + payload)[done:]
                while rest:
                    rest = rest[os.write(self._file, rest) :]
        except OSError as error:
            raise StoreError(f"{self.path}: {os_reason(error)}") from error
        self.bytes += size

    def remove(self) -> None:
        """The part is finished: the journal has done its work."""
        self.path.unlink(missing_ok=True)
        self.close()

    def close(self) -> None:
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class LeftJournal:
    """A journal whose writer is gone. `held` is False when the writer still lives."""

    path: Path
    held: bool

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = os.open(path, os.O_RDONLY)
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self.held = True
        except BlockingIOError:
            self.held = False

    def records(self, kind: type[Record]) -> Iterator[Record]:
        """Every complete record, in order."""
        decoder = msgspec.msgpack.Decoder(kind)
        with os.fdopen(os.dup(self._file), "rb") as file:
            while len(head := file.read(_HEAD.size)) == _HEAD.size:
                length, crc = _HEAD.unpack(head)
                # A power cut can leave zeros at the end: length 0 with the CRC of nothing.
                if not 0 < length <= _LONGEST_FRAME:
                    return
                payload = file.read(length)
                if len(payload) < length or zlib.crc32(payload) != crc:
                    return
                try:
                    record = decoder.decode(payload)
                except msgspec.MsgspecError as error:
                    log.warning(
                        "%s: a record cannot be read, nor what follows: %s", self.path, error
                    )
                    return
                yield record

    def remove(self) -> None:
        self.path.unlink(missing_ok=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._file)
