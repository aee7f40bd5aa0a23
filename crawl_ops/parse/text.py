"""Text as it is stored: white space collapsed, one line a block, nothing that XML forbids."""

import re

MARK = "\x7f"
"""Between blocks, while text is gathered. Decoding takes it out of what pages send."""

_USUAL_BLANKS = "\n\t\r\f\v\x1c\x1d\x1e\x1f\xa0"
"""All of ASCII; of what else is blank, nothing is printable to Python."""
_LONG = 30
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def one_line(text: str, limit: int | None = None) -> str:
    """`text` as one line, cut to `limit` characters."""
    if MARK in text:
        text = text.replace(MARK, " ")
    line = " ".join(text.split())
    return line if limit is None or len(line) <= limit else line[:limit].rstrip()


def block_lines(text: str) -> str:
    """`text`, a line for each stretch between marks that is not blank."""
    for blank in _USUAL_BLANKS:
        if blank in text:
            text = text.replace(blank, " ")
    lines = []
    for block in filter(None, text.split(MARK)):
        if len(block) > _LONG:
            # It seldom has more than single blanks: to see that takes less than to split.
            line = block.strip()
            if "  " in line or not (line.isascii() or line.isprintable()):
                line = " ".join(line.split())
            if line:
                lines.append(line)
        elif words := block.split():
            lines.append(" ".join(words))
    return "\n".join(lines)


def is_allowed(text: str) -> bool:
    """Whether `text` has no character that XML forbids."""
    return _FORBIDDEN.search(text) is None


def allowed(text: str) -> str:
    """`text` with U+FFFD for each character that XML forbids."""
    return _FORBIDDEN.sub("\ufffd", text)
