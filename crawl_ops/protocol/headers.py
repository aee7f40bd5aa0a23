"""Headers of an answer: as text, looked up, and misspelt names forgiven as Nutch does."""

from collections.abc import Mapping, Sequence

Fields = Mapping[bytes, Sequence[bytes]]  # values by name in lower case


def as_text(pairs: Sequence[tuple[bytes, bytes]]) -> list[tuple[str, str]]:
    """Names and values; bytes that are no UTF-8 are read as windows-1252's base, ISO 8859-1."""
    try:
        return [(name.decode(), value.decode()) for name, value in pairs]
    except UnicodeDecodeError:
        return [(_text(name), _text(value)) for name, value in pairs]


def first(fields: Fields, name: bytes) -> str | None:
    """The first value of a header as text; `name` in lower case."""
    values = fields.get(name)
    return None if values is None else _text(values[0])


def misspelt(pairs: Sequence[tuple[str, object]], name: str) -> int | None:
    """Where a header stands that means `name`: letters only compared, two slips forgiven.

    Nutch's SpellCheckedMetadata: "Loction" is Location, "CONTENTTYPE" Content-Type, but
    "Client-Transfer-Encoding" is not Transfer-Encoding.
    """
    wanted = _letters(name)
    for at, (key, _) in enumerate(pairs):
        letters = _letters(key)
        if letters == wanted or _distance(letters, wanted, 2) <= min(2, len(wanted) // 3):
            return at
    return None


def _text(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data.decode("latin-1")


def _letters(name: str) -> str:
    return "".join(c for c in name.lower() if c.isalpha())


def _distance(a: str, b: str, most: int) -> int:
    """Levenshtein's distance, or some number above `most`."""
    if abs(len(a) - len(b)) > most:
        return most + 1
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        above, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            above, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, above + (x != y))
    return row[-1]
