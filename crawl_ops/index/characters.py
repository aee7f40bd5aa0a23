"""Text that every index can hold."""

import re

_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def xml_text(text: str) -> str:
    """`text` without the characters XML 1.0 forbids: controls, lone surrogates, U+FFFE, U+FFFF.

    Nutch does so for title and content (stripNonCharCodepoints), since Solr refuses a whole
    batch for one of them.
    """
    return _FORBIDDEN.sub("", text)
