"""What response headers say about a page beside its content."""

import re

from crawl_ops.parse.links import http_url

MAX_LENGTH = 16_384

_LINK = re.compile(r"\s*<([^>]{0,8192})>((?:\s*;[^;,\"]*+(?:\"[^\"]*+\"[^;,\"]*+)?)*+)\s*(?:,|\Z)")
_PARAMETER = re.compile(r";\s*([\w*!-]++)\s*(?:=\s*(?:\"([^\"]*)\"|([^\s;,\"]*)))?")


def canonical_of(values: list[str], base: str) -> str | None:
    """The http(s) URL of the first Link header with rel=canonical (RFC 8288, RFC 6596)."""
    for value in values:
        position, value = 0, value[:MAX_LENGTH]
        while link := _LINK.match(value, position):
            position = link.end()
            if "canonical" in _rel(link[2]).lower().split():
                return http_url(base, link[1].strip())
    return None


def _rel(parameters: str) -> str:
    for name, quoted, bare in _PARAMETER.findall(parameters):
        if name.lower() == "rel":
            return str(quoted or bare)
    return ""
