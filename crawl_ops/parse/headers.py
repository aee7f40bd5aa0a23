"""What response headers say about a page beside its content."""

import re

from crawl_ops.parse.links import http_url

MAX_LENGTH = 16_384

_LINK = re.compile(r"\s*<([^>]{0,8192})>((?:\s*;[^;,\"]*+(?:\"[^\"]*+\"[^;,\"]*+)?)*+)\s*(?:,|\Z)")
_REL = re.compile(r";\s*rel\s*=\s*(?:\"([^\"]*)\"|([^\s;,\"]+))", re.IGNORECASE)


def canonical_of(values: list[str], base: str) -> str | None:
    """The http(s) URL of the first Link header with rel=canonical (RFC 8288, RFC 6596)."""
    for value in values:
        position, value = 0, value[:MAX_LENGTH]
        while link := _LINK.match(value, position):
            position = link.end()
            rel = _REL.search(link[2])
            if rel and "canonical" in (rel[1] or rel[2]).lower().split():
                return http_url(base, link[1].strip())
    return None
