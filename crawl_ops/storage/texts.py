"""Many texts looked at by regular expressions at once, in RE2's language."""

from collections.abc import Sequence

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


def _any_of(expressions: Sequence[str]) -> str:
    return "|".join(f"(?:{expression})" for expression in expressions)
