"""The refresh that a page or a header asks for (WHATWG HTML, shared declarative refresh steps)."""

import re
from typing import NamedTuple

from crawl_ops.parse.links import http_url

MAX_SECONDS = 31_536_000

_REFRESH = re.compile(
    r"[ \t\n\f\r]*(?P<s>[0-9]{1,12})?(?P<fraction>[.][0-9.]*)?"
    r"(?:(?=[ \t\n\f\r;,])[ \t\n\f\r]*[;,]?[ \t\n\f\r]*(?P<rest>.*))?",
    re.DOTALL,
)
_URL = re.compile(r"""url[ \t\n\f\r]*=[ \t\n\f\r]*""", re.IGNORECASE)


class Refresh(NamedTuple):
    """After how many seconds which URL takes the page's place; None: the page itself."""

    seconds: int
    url: str | None


def read_refresh(content: str, base: str) -> Refresh | None:
    """What a refresh value asks for, its target resolved against `base`; None when it is none."""
    found = _REFRESH.fullmatch(content[:70_000])
    if found is None or not (found["s"] or found["fraction"]):
        return None
    seconds = min(int(found["s"] or 0), MAX_SECONDS)
    target = _target(found["rest"] or "")
    url = http_url(base, target) if target else None
    return Refresh(seconds, None if url == http_url(base, "") else url)


def _target(rest: str) -> str:
    named = _URL.match(rest)
    if named:
        rest = rest[named.end() :]
    if rest[:1] in ("'", '"'):
        quote, rest = rest[0], rest[1:]
        rest = rest.partition(quote)[0]
    return rest.strip(" \t\n\f\r")
