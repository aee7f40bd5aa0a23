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
REMEMBERED = 50_000
REMEMBERED_OF_PAGE = 2_000
LONGEST_REMEMBERED = 300
_OF_SITE = ("/", "http://", "https://")
MAX_CHARACTERS = 16_000_000
"""Of all links of a page, made absolute: with a long base each may be long."""

# What these accept is already as WHATWG would write it, if it has no "/.": nothing to escape, no
# dot segment in disguise, and a host that is neither a number nor punycode.
_SAFE = r"(?:[A-Za-z0-9_~=?&;,+!@$*()/.-]|%(?!2[eE]))*+"
_FRAGMENT = r"(?:#[A-Za-z0-9_~=?&;,+!@$*()/.:%'-]*+)?+"
_ROOTED = re.compile(rf"/(?!/){_SAFE}{_FRAGMENT}")
_PLAIN = re.compile(rf"(?:[A-Za-z0-9_]{_SAFE})?+{_FRAGMENT}")
_PORT = r"(?::(?!80/|443/)(?:[1-5][0-9]{4}|[1-9][0-9]{1,3}))?+"
_ABSOLUTE = re.compile(
    rf"https?://(?!xn--)(?:[a-z0-9-]++\.(?!xn--))+[a-z]{{2,63}}{_PORT}/{_SAFE}{_FRAGMENT}"
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


class _Memory:
    """What plain links came to, for other pages of a site or folder: they share most of theirs."""

    def __init__(self) -> None:
        self._by_base: dict[str, dict[str, str]] = {}
        self._number = 0

    def of(self, base: str) -> dict[str, str]:
        """Links by href, to look at and to add to, for a page."""
        known = self._by_base.get(base)
        if known is None:
            known = {}
            if len(base) <= LONGEST_REMEMBERED:
                self._by_base[base] = known
                self._number += 1
        return known

    def note(self, added: int) -> None:
        """So many were added. All are forgotten when there are many."""
        self._number += added
        if self._number >= REMEMBERED:
            self._by_base, self._number = {}, 0


_MEMORY = _Memory()


class LinkResolver:
    """Resolves the links of one page against its base; `rejected` counts what is none, by rule."""

    def __init__(self, base: str, charset: str = "utf-8") -> None:
        self.base = base
        self.rejected: Counter[str] = Counter()
        self._charset = charset
        self._page = base.partition("#")[0]
        found = _WEB_ORIGIN.match(base)
        self._origin = found[1] if found else ""
        self._path = found[2][: found[2].rfind("/") + 1] if found else ""
        self._folder = self._origin + self._path

    def resolve(self, href: str) -> str | None:
        """The absolute URL, or None and one more in `rejected`."""
        return self._plainly(href) or self._by_the_book(href)

    def _plainly(self, href: str) -> str | None:
        """The absolute URL, if it plainly is the one that WHATWG would make."""
        first = href[:1]
        if first == "." or "/." in href or len(href) > MAX_URL_LENGTH:
            return self._from_above(href)
        if self._origin:
            if first == "/":
                if _ROOTED.fullmatch(href):
                    return self._origin + href
            elif _PLAIN.fullmatch(href):
                return (self._page if first == "#" or not first else self._folder) + href
        return href if first == "h" and _ABSOLUTE.fullmatch(href) else None

    def _from_above(self, href: str) -> str | None:
        """As _plainly, for a path that begins with `./` or `../`."""
        if len(href) > MAX_URL_LENGTH:
            return None
        rest, path = href.removeprefix("./"), self._path
        while rest.startswith("../"):
            rest, path = rest[3:], path[: path.rfind("/", 0, -1) + 1] or "/"
        if (
            self._origin
            and len(rest) < len(href)
            and "/." not in rest
            and rest[:1] != "#"
            and _PLAIN.fullmatch(rest)
        ):
            return self._origin + path + rest
        return None

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

    @staticmethod
    def _is_shared(href: str, url: str) -> bool:
        """Whether other pages' links may come to the same, if it is not too long to remember."""
        return len(url) <= LONGEST_REMEMBERED and href[:1] not in ("", "#")

    def resolve_all(self, links: list[Outlink]) -> list[Outlink]:
        """`links` with their URLs made absolute; those that are none are left out and counted."""
        kept = []
        characters = added = 0
        of_site, of_folder = _MEMORY.of(self._origin), _MEMORY.of(self._folder)
        for link in links:
            href = link.url
            known = of_site if href.startswith(_OF_SITE) else of_folder
            url = known.get(href)
            if url is None:
                url = self._plainly(href)
                if url is None:
                    url = self._by_the_book(href)
                    if url is None:
                        continue
                elif added < REMEMBERED_OF_PAGE and self._is_shared(href, url):
                    known[href] = url
                    added += 1
            characters += len(url)
            if characters > MAX_CHARACTERS:
                self.rejected["length"] += 1
                continue
            link.url = url
            kept.append(link)
        _MEMORY.note(added)
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


def page_url(url: str) -> str:
    """A page's URL as links are resolved against it: without fragment, as WHATWG writes it."""
    if "/." not in url and "#" not in url and _ABSOLUTE.fullmatch(url):
        return url
    return http_url(url, "") or url


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
