"""What a URL is known by in every table: its key, its slot, its host and its domain."""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from xxhash import xxh3_64_intdigest

from crawl_ops.urls.hosts import domains, host_of

_HOSTS_REMEMBERED = 200_000


class UrlIdentity(NamedTuple):
    """The identity of one normalized URL."""

    k: int
    """xxh3_64 of the URL's UTF-8 text, with the crawl's seed; tables are joined on it."""
    slot: int
    """0..65535: top 16 bits of xxh3_64 of the domain; a bucket is a run of slots."""
    host: str
    """Lower case, without port; IPv6 in brackets; empty where the URL has none."""
    domain: str
    """Registered domain, else the host."""


class Identities(NamedTuple):
    """The identities of many URLs: lists of equal length."""

    k: list[int]
    slot: list[int]
    host: list[str]
    domain: list[str]


class UrlIdentifier:
    """Gives every normalized URL its identity, the same one in every version of every library."""

    def __init__(self, seed: int, private_suffixes: bool = False) -> None:
        self._seed = seed
        self._domain_of = domains(private_suffixes).domain_of
        self._known: dict[str, tuple[int, str, str]] = {}
        self._site_of = lru_cache(maxsize=_HOSTS_REMEMBERED)(self._site)

    def identify(self, url: str) -> UrlIdentity:
        """The identity of `url`, which is normalized. Never raises."""
        host = self._host(url)
        domain, slot = self._site_of(host)
        k = xxh3_64_intdigest(url.encode("utf-8", "surrogatepass"), self._seed)
        return UrlIdentity(k, slot, host, domain)

    def identify_all(self, urls: Sequence[str]) -> Identities:
        """The identities of many URLs, as columns."""
        # Of a web URL all but the key comes from what stands before its third slash.
        starts = [
            url[:end] if (end := url.find("/", 8)) > 0 and url.startswith(_WEB) else url
            for url in urls
        ]
        known = self._known
        if len(known) > _HOSTS_REMEMBERED:
            known.clear()
        for start in set(starts).difference(known):
            known[start] = self.identify(start)[1:]
        seed = self._seed
        sites = [known[start] for start in starts]
        return Identities(
            [xxh3_64_intdigest(url.encode("utf-8", "surrogatepass"), seed) for url in urls],
            [slot for slot, _, _ in sites],
            [host for _, host, _ in sites],
            [domain for _, _, domain in sites],
        )

    def _host(self, url: str) -> str:
        # The usual case without a regex: http(s)://host/… or http(s)://host:port/… has no login.
        scheme, mark, rest = url.partition("://")
        if mark and scheme in ("http", "https"):
            host, colon, port = rest.partition("/")[0].partition(":")
            if host.islower() and not _MARKS.intersection(host) and (not colon or port.isdigit()):
                return host
        return host_of(url)

    def _site(self, host: str) -> tuple[str, int]:
        domain = self._domain_of(host)
        text = domain.encode("utf-8", "surrogatepass")
        return domain, xxh3_64_intdigest(text, self._seed) >> 48


_WEB = ("http://", "https://")
_MARKS = frozenset("@[]?#")
