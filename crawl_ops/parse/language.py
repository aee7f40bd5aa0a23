"""The language a page says it is in."""

import re
from collections.abc import Iterable

_TAG = re.compile(r"\s*([A-Za-z]{2,3})(?:[-_][A-Za-z0-9_-]{1,32})?\s*(?:[,;].*)?", re.DOTALL)


def first_language(candidates: Iterable[str | None]) -> str | None:
    """The primary language (ISO 639, lower case) of the first candidate that has one."""
    for candidate in candidates:
        found = _TAG.fullmatch(candidate[:256]) if candidate else None
        if found:
            return found[1].lower()
    return None
