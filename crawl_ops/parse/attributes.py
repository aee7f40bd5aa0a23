"""Bounding the attributes of an element: libxml2 takes quadratic time to attach them."""

import re

from crawl_ops.parse.prescan import ATTRIBUTE

MAX_ATTRIBUTES = 5_000
MANY_EQUALS = 20_000
STRIDE = 16_384
SMALL_BYTES = 65_536
"""Less than this cannot hold enough attributes to matter."""

_TAG = re.compile(rb"<[A-Za-z][^\t\n\f\r >/]*+")


def with_bounded_attributes(data: bytes) -> bytes:
    """`data`, with the attributes past MAX_ATTRIBUTES of an element left out."""
    if not _may_have_too_many(data):
        return data
    kept, kept_to = [], 0
    position = 0
    while tag := _TAG.search(data, position):
        position, cut = _end_of_tag(data, tag.end())
        if cut is not None:
            kept.append(data[kept_to:cut])
            kept_to = position
    kept.append(data[kept_to:])
    return b"".join(kept)


def _may_have_too_many(data: bytes) -> bool:
    # Either many equals signs, or a long stretch without the end of a tag.
    if len(data) < SMALL_BYTES:
        return False
    if data.count(b"=") > MANY_EQUALS:
        return True
    return any(
        data.find(b">", start, start + STRIDE) < 0 for start in range(0, len(data) - STRIDE, STRIDE)
    )


def _end_of_tag(data: bytes, position: int) -> tuple[int, int | None]:
    """Where the tag ends, and where to cut it if it has too many attributes."""
    count, cut = 0, None
    while found := ATTRIBUTE.match(data, position):
        if not found["name"]:
            break
        position = found.end()
        count += 1
        if count == MAX_ATTRIBUTES:
            cut = position
    return position, cut
