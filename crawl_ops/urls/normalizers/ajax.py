"""urlnormalizer-ajax: `#!state` as `_escaped_fragment_=state`, and back for the index."""

import re
from urllib.parse import unquote

from crawl_ops.config.properties import CrawlConfig

_PARAMETER = "_escaped_fragment_="
# Google's AJAX crawling scheme: what is escaped in the parameter.
_ESCAPED = re.compile(r"[\x00-\x20#%&+\x7f-\xff]")


class AjaxUrlNormalizer:
    """Makes hash-bang URLs fetchable; in scope indexer it gives the URL that people see.

    Put it before `basic`, which drops fragments; in scope indexer, after it.
    """

    name = "ajax"
    fingerprint = "ajax"

    def __init__(self, config: CrawlConfig, scope: str = "default") -> None:
        del config
        self._back = scope == "indexer"

    def normalize(self, url: str) -> str | None:
        """The URL in the other form."""
        return _to_hashbang(url) if self._back else _from_hashbang(url)


def _from_hashbang(url: str) -> str:
    page, mark, state = url.partition("#!")
    if not mark:
        return url
    escaped = _ESCAPED.sub(lambda found: f"%{ord(found[0]):02X}", state)
    return f"{page}{'&' if '?' in page else '?'}{_PARAMETER}{escaped}"


def _to_hashbang(url: str) -> str:
    page, mark, state = url.partition(_PARAMETER)
    if not mark or page[-1:] not in ("?", "&"):
        return url
    return f"{page[:-1]}#!{unquote(state)}"
