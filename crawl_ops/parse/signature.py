"""Signatures: what makes two versions or two pages the same (Nutch's Signature classes)."""

import hashlib
import math
import re
from collections import Counter

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.parse.page import Page

_TOKENS = re.compile(r"[^\W_]+")


def signature(config: CrawlConfig, page: Page, text: bytes) -> bytes:
    """The page's signature, 16 bytes, by db.signature.class. `text` is its parsed text, UTF-8."""
    kind = config.db.signature_class
    if text and kind == "TextMD5Signature":
        return _md5(text)
    if text and kind == "TextProfileSignature":
        profile = text_profile(
            text.decode(), config.db.text_profile_min_token_len, config.db.text_profile_quant_rate
        )
        return _md5(profile.encode("utf-8", "replace"))
    return _md5(page.content or page.url.encode("utf-8", "replace"))


def text_profile(text: str, min_token_len: int = 2, quant_rate: float = 0.01) -> str:
    """The profile that TextProfileSignature hashes: "token count" lines, most frequent first.

    Counts are rounded down to multiples of a quantum, so small edits do not show.
    """
    counts = Counter(token for token in _TOKENS.findall(text.lower()) if len(token) > min_token_len)
    highest = max(counts.values(), default=0)
    # Java's Math.round: halves go up.
    quantum = math.floor(highest * quant_rate + 0.5)
    if quantum < 2:
        quantum = 2 if highest > 1 else 1
    rounded = {token: count // quantum * quantum for token, count in counts.items()}
    kept = [(token, count) for token, count in rounded.items() if count >= quantum]
    kept.sort(key=lambda entry: (-entry[1], entry[0].encode("utf-16-be", "replace")))
    return "\n".join(f"{token} {count}" for token, count in kept)


def _md5(data: bytes) -> bytes:
    return hashlib.md5(data, usedforsecurity=False).digest()
