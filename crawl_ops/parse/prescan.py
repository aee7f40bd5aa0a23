"""The charset a page declares in its own markup (WHATWG HTML, "prescan a byte stream").

The window is 64 KiB, not the 1,024 bytes browsers wait for: one page in six declares later.
"""

import re
from collections.abc import Iterator

WINDOW_BYTES = 65_536

_FIRST_TAGS = 12

_NEXT = re.compile(rb"<(?:(!--)|/?([a-zA-Z])|[!/?])")
_META = re.compile(rb"<meta[\t\n\f\r /]", re.IGNORECASE)
_TAG_NAME = re.compile(rb"[^\t\n\f\r >]*+")
ATTRIBUTE = re.compile(
    rb"""[\t\n\f\r /]*+
    (?P<name>=?[^\t\n\f\r />=]*+)
    (?:[\t\n\f\r ]*+=[\t\n\f\r ]*+
      (?: "(?P<double>[^"]*+)(?:"|\Z) | '(?P<single>[^']*+)(?:'|\Z)
        | (?P<bare>[^\t\n\f\r >"'][^\t\n\f\r >]*+)? )
    )?+""",
    re.VERBOSE,
)
_CONTENT_CHARSET = re.compile(
    rb"""charset[\t\n\f\r ]*+=[\t\n\f\r ]*+
    (?:"([^"]*+)"|'([^']*+)'|([^\t\n\f\r ;"'][^\t\n\f\r ;]*+))""",
    re.IGNORECASE | re.VERBOSE,
)
_XML_DECLARATION = re.compile(
    rb"""<\?xml[^>]*?\sencoding\s*=\s*["']([^"'>]{1,40})["']""", re.IGNORECASE
)


def declared_labels(content: bytes) -> Iterator[str]:
    """The labels declared in meta elements, in order, then that of an XML declaration.

    The caller takes the first one that names an encoding.
    """
    window = content[:WINDOW_BYTES]
    yield from _meta_labels(window)
    declaration = _XML_DECLARATION.match(window.lstrip()[:1024])
    if declaration:
        yield declaration[1].decode("ascii", "replace")


def _meta_labels(window: bytes) -> Iterator[str]:
    position = 0
    last, looked = len(window), 0
    while found := _NEXT.search(window, position):
        position = found.start()
        looked += 1
        if looked == _FIRST_TAGS:
            # Tags after the last mention of a charset cannot declare one. Most are found before.
            last = window.lower().rfind(b"charset")
        if position > last:
            return
        if found[1]:
            end = window.find(b"-->", position + 2)
            if end < 0:
                return
            position = end + 3
        elif _META.match(window, position):
            attributes, position = _attributes(window, position + 5)
            # A tag that the bytes run out in declares nothing.
            label = _label(attributes) if position < len(window) else None
            if label:
                yield label
        elif found[2]:
            position = _TAG_NAME.match(window, position + 1).end()  # type: ignore[union-attr]
            _, position = _attributes(window, position)
        else:
            end = window.find(b">", position)
            if end < 0:
                return
            position = end + 1


def _attributes(window: bytes, position: int) -> tuple[dict[bytes, bytes], int]:
    """The attributes of the tag at `position` (the first of each name), and where it ends."""
    attributes: dict[bytes, bytes] = {}
    while found := ATTRIBUTE.match(window, position):
        if found.end() == position or (not found["name"] and found.end() >= len(window)):
            break
        position = found.end()
        name = found["name"].lower()
        if not name:
            break
        value = found["double"] or found["single"] or found["bare"] or b""
        attributes.setdefault(name, value)
    return attributes, position


def _label(attributes: dict[bytes, bytes]) -> str | None:
    charset = attributes.get(b"charset")
    if charset is None:
        if attributes.get(b"http-equiv", b"").lower() != b"content-type":
            return None
        found = _CONTENT_CHARSET.search(attributes.get(b"content", b""))
        if not found:
            return None
        charset = found[1] or found[2] or found[3] or b""
    return charset.decode("ascii", "replace").strip() or None
