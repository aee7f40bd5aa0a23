"""A URL taken apart for sending."""

import re
from functools import lru_cache
from typing import NamedTuple

import ada_url

REMEMBERED = 512
PORTS = {"http:": 80, "https:": 443}

# What this accepts is as WHATWG would write it: nothing to escape, no dot segment, and a host
# that is an address of four decimal numbers, or neither a number nor punycode.
_BYTE = r"(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])"
_PLAIN = re.compile(
    r"(https?)://((?!xn--)(?:[a-z0-9-]++\.(?!xn--))+[a-z]{2,63}"
    rf"|{_BYTE}(?:\.{_BYTE}){{3}}(?=[:/]))"
    r"(?::([1-5][0-9]{4}|[1-9][0-9]{0,3}))?"
    r"(/(?!\.)(?:[A-Za-z0-9_~=?&;,+!@$*().-]|/(?!\.))*+)"
)


class Target(NamedTuple):
    """`host` has no brackets, `host_header` has them and the port; `path` is path and query."""

    scheme: str
    host: str
    port: int
    host_header: str
    path: str

    @staticmethod
    @lru_cache(REMEMBERED)
    def of(url: str) -> "Target":
        """Raises ValueError with a reason when `url` is none, or not http or https.

        Robots rules and the request ask for the same URL, one after the other.
        """
        if plain := _PLAIN.fullmatch(url):
            scheme, host, given, path = plain.groups()
            default = 443 if scheme == "https" else 80
            port = default if given is None else int(given)
            return Target(scheme, host, port, host if port == default else f"{host}:{port}", path)
        try:
            parts = ada_url.URL(url)
        except (ValueError, UnicodeError):
            raise ValueError(f"bad url: {url[:200]!r}") from None
        if parts.protocol not in PORTS:
            raise ValueError(f"bad url: scheme {parts.protocol[:20]!r} is not http or https")
        host = parts.hostname.removeprefix("[").removesuffix("]")
        if not host:
            raise ValueError(f"bad url: {url[:200]!r} has no host")
        port = int(parts.port) if parts.port else PORTS[parts.protocol]
        # An empty query is one (WHATWG URL), but `search` does not tell it from none.
        query = parts.search or "?" * parts.href.partition("#")[0].endswith("?")
        return Target(parts.protocol[:-1], host, port, parts.host, parts.pathname + query)

    @property
    def origin(self) -> tuple[str, str, int]:
        return self.scheme, self.host, self.port

    @property
    def site(self) -> str:
        """Scheme, host and port as a URL has them; the default port is left out."""
        return f"{self.scheme}://{self.host_header}"

    @property
    def absolute(self) -> str:
        """The absolute form, as proxies want it (RFC 9112 §3.2.2)."""
        return self.site + self.path
