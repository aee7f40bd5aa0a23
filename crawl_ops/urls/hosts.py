"""The host, the registered domain and the parts of a URL (the only door to tldextract)."""

import re
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, NamedTuple

from ada_url import idna_to_ascii, idna_to_unicode

if TYPE_CHECKING:
    from tldextract import TLDExtract

_PARTS = re.compile(
    r"([A-Za-z][A-Za-z0-9+.-]*):"  # scheme
    r"(?://(?:([^/?#]*)@)?(\[[^\]/?#]*\]|[^/?#:@]*)(?::([0-9]*))?(?=[/?#]|$))?"
    r"([^?#]*)(\?[^#]*)?(#.*)?",
    re.DOTALL,
)
_IPV4 = re.compile(r"[0-9]{1,3}(?:\.[0-9]{1,3}){3}")
_FORBIDDEN = re.compile(r"[\x00-\x20\"#%/:<>?@\[\\\]^`{|}\x7f]")
"""Forbidden domain code points of the URL Standard."""
_HOSTS_REMEMBERED = 100_000


class UrlParts(NamedTuple):
    """A URL taken apart without changing a character; `userinfo`, `port` without their marks."""

    scheme: str
    userinfo: str | None
    host: str
    port: str | None
    path: str
    query: str
    """With its `?`, or empty."""
    fragment: str
    """With its `#`, or empty."""

    def join(self) -> str:
        """The URL again."""
        login = "" if self.userinfo is None else f"{self.userinfo}@"
        port = "" if self.port is None else f":{self.port}"
        slashes = "//" if self.host or login or port or self.scheme == "file" else ""
        return (
            f"{self.scheme}:{slashes}{login}{self.host}{port}{self.path}{self.query}{self.fragment}"
        )


def parts_of(url: str) -> UrlParts | None:
    """The parts of `url`, or None when it has no scheme. Made for normalized URLs."""
    found = _PARTS.fullmatch(url)
    if found is None:
        return None
    scheme, userinfo, host, port, path, query, fragment = found.groups()
    return UrlParts(scheme, userinfo, host or "", port, path, query or "", fragment or "")


def host_of(url: str) -> str:
    """The host of a URL: lower case, no port, IPv6 in brackets; empty when there is none."""
    parts = parts_of(url)
    return parts.host.lower() if parts else ""


def is_ip(host: str) -> bool:
    """Whether `host` is an IPv4 address or an IPv6 address in brackets."""
    return host.startswith("[") or (host[-1:].isdigit() and _IPV4.fullmatch(host) is not None)


def ascii_host(host: str) -> str | None:
    """The host as ASCII, punycode where needed (UTS 46); None when it cannot be a host name."""
    try:
        found = bytes(idna_to_ascii(host)).decode("ascii")
    except (ValueError, UnicodeError):
        return None
    return None if not found or _FORBIDDEN.search(found) else found


def unicode_host(host: str) -> str:
    """An ASCII host in Unicode; labels that cannot be decoded stay as they are."""
    try:
        return str(idna_to_unicode(host)) or host
    except (ValueError, UnicodeError):
        return host


class Domains:
    """Registered domains by the public suffix list bundled with tldextract; never the network."""

    def __init__(self, private_suffixes: bool = False) -> None:
        self._private_suffixes = private_suffixes
        self.domain_of = lru_cache(maxsize=_HOSTS_REMEMBERED)(self._domain_of)
        self.suffix_of = lru_cache(maxsize=_HOSTS_REMEMBERED)(self._suffix_of)

    def _domain_of(self, host: str) -> str:
        """The registered domain of a host (lower case).

        An IP address is its own domain, as is a bare public suffix (Nutch). A suffix that is not
        listed counts as one label, so the domain is the last two (the list's default rule `*`).
        """
        host = host.lower().rstrip(".")
        if not host or host.startswith(".") or is_ip(host):
            return host
        found = self._extractor.extract_str(host)
        if found.suffix:
            return f"{found.domain}.{found.suffix}" if found.domain else host
        return ".".join(host.rsplit(".", 2)[-2:])

    def _suffix_of(self, host: str) -> str | None:
        """The public suffix of a host as ASCII (`co.uk`); None for IPs and unlisted suffixes."""
        host = host.lower().rstrip(".")
        if not host or is_ip(host):
            return None
        suffix = self._extractor.extract_str(host).suffix
        return (ascii_host(suffix) or suffix) if suffix else None

    @cached_property
    def _extractor(self) -> "TLDExtract":
        # It loads requests and its list: a tenth of a second, for the first host that is asked for.
        from tldextract import TLDExtract

        return TLDExtract(
            suffix_list_urls=(),
            cache_dir=None,
            include_psl_private_domains=self._private_suffixes,
        )


@lru_cache(maxsize=2)
def domains(private_suffixes: bool = False) -> Domains:
    """One shared Domains for each reading of the list."""
    return Domains(private_suffixes)
