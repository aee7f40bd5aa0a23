"""Thrift's compact protocol, as far as the footer of a Parquet file needs it.

https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md
"""

import struct
from typing import Any

TRUE, FALSE, BYTE, I16, I32, I64, DOUBLE, BINARY, LIST, SET, MAP, STRUCT = range(1, 13)
MOST_NESTED = 32

Struct = dict[int, tuple[int, Any]]  # number of the field -> type and value, in the order they had
List = tuple[int, list[Any]]  # type of the elements, and these


class Reader:
    """Takes structures from bytes. Raises ValueError or IndexError if they are none."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def struct(self, nested: int = 0) -> Struct:
        """The next structure."""
        if nested > MOST_NESTED:
            raise ValueError("structures in structures without end")
        fields: Struct = {}
        number = 0
        while (head := self._byte()) != 0:
            number = number + (head >> 4) if head >> 4 else self._signed()
            kind = head & 15
            if kind in (TRUE, FALSE):
                fields[number] = (TRUE, kind == TRUE)
            else:
                fields[number] = (kind, self._value(kind, nested))
        return fields

    def _value(self, kind: int, nested: int) -> Any:
        if kind in (I16, I32, I64):
            return self._signed()
        if kind == BINARY:
            return self._take(self._whole())
        if kind == STRUCT:
            return self.struct(nested + 1)
        if kind in (LIST, SET):
            return self._list(nested)
        if kind == BYTE:
            return self._byte()
        if kind in (TRUE, FALSE):
            return self._byte() == TRUE
        if kind == DOUBLE:
            return struct.unpack("<d", self._take(8))[0]
        raise ValueError(f"values of type {kind}")

    def _list(self, nested: int) -> List:
        head = self._byte()
        count = head >> 4 if head >> 4 < 15 else self._whole()
        if count > len(self._data):
            raise ValueError("a list longer than the file")
        return head & 15, [self._value(head & 15, nested + 1) for _ in range(count)]

    def _byte(self) -> int:
        self._at += 1
        return self._data[self._at - 1]

    def _take(self, count: int) -> bytes:
        found = self._data[self._at : self._at + count]
        if len(found) != count:
            raise ValueError("cut short")
        self._at += count
        return found

    def _whole(self) -> int:
        number = shift = 0
        while (byte := self._byte()) & 0x80:
            number |= (byte & 0x7F) << shift
            shift += 7
            if shift > 63:
                raise ValueError("a number without end")
        return number | byte << shift

    def _signed(self) -> int:
        number = self._whole()
        return (number >> 1) ^ -(number & 1)


def written(fields: Struct) -> bytes:
    """A structure as bytes."""
    out = bytearray()
    _write_struct(out, fields)
    return bytes(out)


def _write_struct(out: bytearray, fields: Struct) -> None:
    before = 0
    for number in sorted(fields):
        kind, value = fields[number]
        coded = kind if kind != TRUE else TRUE if value else FALSE
        if 0 < number - before < 16:
            out.append((number - before) << 4 | coded)
        else:
            out.append(coded)
            _write_signed(out, number)
        if kind != TRUE:
            _write(out, kind, value)
        before = number
    out.append(0)


def _write(out: bytearray, kind: int, value: Any) -> None:
    if kind in (I16, I32, I64):
        _write_signed(out, value)
    elif kind == BINARY:
        _write_whole(out, len(value))
        out += value
    elif kind == STRUCT:
        _write_struct(out, value)
    elif kind in (LIST, SET):
        of, values = value
        if len(values) < 15:
            out.append(len(values) << 4 | of)
        else:
            out.append(0xF0 | of)
            _write_whole(out, len(values))
        for element in values:
            _write(out, of, element)
    elif kind == BYTE:
        out.append(value)
    elif kind in (TRUE, FALSE):
        out.append(TRUE if value else FALSE)
    elif kind == DOUBLE:
        out += struct.pack("<d", value)
    else:
        raise ValueError(f"values of type {kind}")


def _write_signed(out: bytearray, number: int) -> None:
    _write_whole(out, number << 1 ^ number >> 63)


def _write_whole(out: bytearray, number: int) -> None:
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
