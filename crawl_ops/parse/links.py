"""From href to absolute URL, by the WHATWG rules, and counting what is no link."""

import codecs
import re
from collections import Counter
from urllib.parse import quote

import ada_url

from crawl_ops.parse.page import Outlink

MAX_LINKS = 100_000
MAX_URL_LENGTH = 65_536
MAX_ANCHOR_LENGTH = 1_000

# What these three accept is already as WHATWG would write it, if it has no "/.": nothing to
# escape, and a host that is neither a number nor punycode.
_ROOTED = re.compile(r"/(?!/)[A-Za-z0-9_~=?&;,+!@$*()/.-]*+")
_PLAIN = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_~=?&;,+!@$*()/.-]*+")
_ABSOLUTE = re.compile(
    r"https?://(?!xn--)(?:[a-z0-9-]++\.(?!xn--))+[a-z]{2,63}/[A-Za-z0-9_~=?&;,+!@$*()/.-]*+"
)
_SCHEME = re.compile(r"[\x00-\x20]*([A-Za-z][A-Za-z0-9+.-]*):")
_NO_DOCUMENTS = frozenset(("about", "blob", "data", "javascript", "mailto", "tel", "vbscript"))
_WEB_ORIGIN = re.compile(r"(https?://[^/?#]*)(/[^?#]*)")


_UNENCODABLE = "crawl_ops.query"


def _as_escaped_reference(error: UnicodeError) -> tuple[bytes, int]:
    # WHATWG URL, percent-encode after encoding: &#N; with its marks escaped.
    if not isinstance(error, UnicodeEncodeError):
        raise error
    missing = error.object[error.start : error.end]
    return "".join(f"%26%23{ord(character)}%3B" for character in missing).encode(), error.end


codecs.register_error(_UNENCODABLE, _as_escaped_reference)


class LinkResolver:
    """Resolves the links of one page against its base; `rejected` counts what is none, by rule."""

    def __init__(self, base: str, charset: str = "utf-8") -> None:
        self.base = base
        self.rejected: Counter[str] = Counter()
        self._charset = charset
        found = _WEB_ORIGIN.match(base)
        self._origin = found[1] if found else ""
        self._folder = found[1] + found[2][: found[2].rfind("/") + 1] if found else ""

    def resolve(self, href: str) -> str | None:
        """The absolute URL, or None and one more in `rejected`."""
        if "/." not in href and len(href) <= MAX_URL_LENGTH:
            if self._origin:
                if _ROOTED.fullmatch(href):
                    return self._origin + href
                if _PLAIN.fullmatch(href):
                    return self._folder + href
            if _ABSOLUTE.fullmatch(href):
                return href
        return self._by_the_book(href)

    def _by_the_book(self, href: str) -> str | None:
        scheme = _SCHEME.match(href[:256])
        if scheme and scheme[1].lower() in _NO_DOCUMENTS:
            self.rejected[f"scheme={scheme[1].lower()}"] += 1
            return None
        if len(href) > MAX_URL_LENGTH:
            self.rejected["length"] += 1
            return None
        url = join(self.base, self._in_page_charset(href))
        if url is None:
            self.rejected["malformed"] += 1
            return None
        if url.startswith("file:") and not self.base.startswith("file:"):
            # A page of the web has no say over the files of this machine (as in browsers).
            self.rejected["scheme=file"] += 1
            return None
        if scheme and "://" not in url[:64] and not url.startswith("file:"):
            self.rejected[f"scheme={scheme[1].lower()[:20]}"] += 1
            return None
        return url

    def _in_page_charset(self, href: str) -> str:
        # WHATWG URL: the query of a link is encoded in the page's charset.
        if self._charset.startswith("utf") or href.isascii() or "?" not in href:
            return href
        path, mark, rest = href.partition("?")
        query, hash_, fragment = rest.partition("#")
        raw = query.encode(self._charset, _UNENCODABLE)
        return path + mark + quote(raw, safe="!$%&'()*+,-./:;=?@[]_~") + hash_ + fragment

    def resolve_all(self, links: list[Outlink]) -> list[Outlink]:
        """`links` with their URLs made absolute; those that are none are left out and counted."""
        kept = []
        for link in links:
            url = self.resolve(link.url)
            if url is not None:
                link.url = url
                kept.append(link)
        return kept


def join(base: str, href: str) -> str | None:
    """`href` resolved against `base` (WHATWG URL); None when that is no URL."""
    try:
        return str(ada_url.join_url(base, href))
    except (ValueError, UnicodeError):
        return None


def http_url(base: str, href: str) -> str | None:
    """As join, but None when it is not http or https."""
    url = join(base, href) if len(href) <= MAX_URL_LENGTH else None
    return url if url is not None and url.startswith(("http://", "https://")) else None


def srcset_urls(srcset: str) -> list[str]:
    """The URLs of a srcset attribute (WHATWG HTML, parsing a srcset attribute)."""
    urls: list[str] = []
    position, end = 0, len(srcset)
    while position < end and len(urls) < 100:
        found = _CANDIDATE.match(srcset, position)
        if found is None:
            break
        url, position = found[1], found.end()
        if url.endswith(","):
            url = url.rstrip(",")
        else:
            position = _DESCRIPTORS.match(srcset, position).end()  # type: ignore[union-attr]
        urls.append(url)
    return [url for url in urls if url]


_CANDIDATE = re.compile(r"[\s,]*+([^\s]++)")
_DESCRIPTORS = re.compile(r"(?:[^,(]|\([^)]*+(?:\)|\Z))*+,?")
