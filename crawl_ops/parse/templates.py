"""Cutting template elements out of markup: what they hold is not on the page.

Done on the bytes, as libxml2 lets an unclosed table in a template swallow the rest of the page.
"""

import re

_TAG = re.compile(
    rb"<(/?)template(?=[\s/>])([^>]{0,1000})>", re.IGNORECASE
)  # not to the end of the page from each


def without_templates(data: bytes) -> bytes:
    """`data` without the content of its templates; shadow roots and unclosed ones stay."""
    if b"emplate" not in data:
        return data
    kept, kept_to = [], 0
    depth, start, is_shown = 0, 0, False
    for tag in _TAG.finditer(data):
        if not tag[1]:
            if depth == 0:
                start, is_shown = tag.end(), b"shadowrootmode" in tag[2].lower()
            depth += 1
        elif depth:
            depth -= 1
            if depth == 0 and not is_shown:
                kept.append(data[kept_to:start])
                kept_to = tag.start()
    kept.append(data[kept_to:])
    return b"".join(kept)
