"""Text as it is stored: white space collapsed, one line a block, nothing that XML forbids."""

import re

MARK = "\x7f"
"""Between blocks, while text is gathered. Decoding takes it out of what pages send."""

_RARE_BLANKS = "\t\r\f\v\x1c\x1d\x1e\x1f"
_LONG = 80
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def one_line(text: str, limit: int | None = None) -> str:
    """`text` as one line, cut to `limit` characters."""
    if MARK in text:
        text = text.replace(MARK, " ")
    line = " ".join(text.split())
    return line if limit is None or len(line) <= limit else line[:limit].rstrip()


def block_lines(text: str) -> str:
    """`text`, a line for each stretch between marks that is not blank."""
    has_rare = any(blank in text for blank in _RARE_BLANKS)
    lines = []
    for block in text.split(MARK):
        if len(block) > _LONG and not has_rare and block.isascii():
            # It seldom has more than single blanks: to see that takes less than to split.
            line = block.strip().replace("\n", " ")
            lines.append(" ".join(line.split()) if "  " in line else line)
        elif words := block.split():
            lines.append(" ".join(words))
    return "\n".join(filter(None, lines))


def is_allowed(text: str) -> bool:
    """Whether `text` has no character that XML forbids."""
    return _FORBIDDEN.search(text) is None


def allowed(text: str) -> str:
    """`text` with U+FFFD for each character that XML forbids."""
    return _FORBIDDEN.sub("\ufffd", text)
