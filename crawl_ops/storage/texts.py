"""Many texts at once: as a column, and looked at by regular expressions in RE2's language."""

from array import array
from collections.abc import Sequence
from itertools import accumulate
from typing import Any

import pyarrow as pa


def fitting(
    texts: Sequence[str], form: str, must: Sequence[str], unless: Sequence[str]
) -> list[bool]:
    """Of each text whether `form` is found in it, and none of `unless`, and one of `must`.

    All false if an expression is none of RE2's. must: none, if that does not matter.
    """
    # It takes a tenth of a second to load, which is for those who have many.
    import pyarrow.compute as pc

    array = pa.array(texts, pa.string())
    try:
        found = pc.match_substring_regex(array, form)
        if must:
            found = pc.and_(found, pc.match_substring_regex(array, _any_of(must)))
        if unless:
            found = pc.and_not(found, pc.match_substring_regex(array, _any_of(unless)))
    except pa.ArrowInvalid:
        return [False] * len(texts)
    return [bool(one) for one in found.to_pylist()]


def text_column(texts: Sequence[bytes]) -> Any:
    """Texts, which must be UTF-8 and less than 2 GiB, as a column: without a look at each."""
    ends = array("i", accumulate(map(len, texts), initial=0))
    buffers = (pa.py_buffer(ends), pa.py_buffer(b"".join(texts)))
    return pa.StringArray.from_buffers(len(texts), *buffers)


def _any_of(expressions: Sequence[str]) -> str:
    return "|".join(f"(?:{expression})" for expression in expressions)
