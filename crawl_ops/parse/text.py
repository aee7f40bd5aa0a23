"""Text as it is stored: white space collapsed, one line a block, nothing that XML forbids."""

import re

BREAK = "\x1e"
"""Between blocks, while text is gathered. Counts as white space for str.split."""

_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def one_line(text: str, limit: int | None = None) -> str:
    """`text` with every run of white space as one blank, cut to `limit` characters."""
    line = " ".join(text.split())
    return line if limit is None or len(line) <= limit else line[:limit].rstrip()


def block_lines(parts: list[str]) -> str:
    """Gathered text, a line for each block that has any."""
    blocks = "".join(parts).split(BREAK)
    lines = [line for block in blocks if block and (line := " ".join(block.split()))]
    return "\n".join(lines)


def allowed(text: str) -> str:
    """`text` with U+FFFD for each character that XML forbids."""
    return _FORBIDDEN.sub("\ufffd", text)
