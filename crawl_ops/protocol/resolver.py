"""Host names to addresses, each looked up once."""

import ipaddress
import socket
import threading
from collections import OrderedDict
from time import monotonic
from typing import Any, NamedTuple

from crawl_ops.protocol.exchange import ExchangeError

HOSTS_KEPT = 20_000
KEPT_S = 600.0
FAILURE_KEPT_S = 86_400.0
TRY_AGAIN_S = 60.0
ADDRESSES_MOST = 16
LOCKS = 64


class Address(NamedTuple):
    """One address of a host, as the socket module wants it; `ip` is its text without a zone."""

    family: int
    ip: str
    sockaddr: tuple[Any, ...]


class _Kept(NamedTuple):
    until: float
    addresses: tuple[Address, ...]
    failure: str | None


class Resolver:
    """A bounded cache over getaddrinfo; thread-safe.

    A name that does not exist is not asked for again (FAILURE_KEPT_S), a server failure is after a
    minute, addresses after ten. Threads that want the same name wait for one lookup.
    """

    def __init__(self) -> None:
        self._kept: OrderedDict[str, _Kept] = OrderedDict()
        self._lock = threading.Lock()
        self._asking = [threading.Lock() for _ in range(LOCKS)]

    def addresses(self, host: str) -> tuple[Address, ...]:
        """All addresses of `host`, in the system's order. Raises ExchangeError, "dns: …"."""
        kept = self._look(host)
        if kept is None:
            with self._asking[hash(host) % LOCKS]:
                kept = self._look(host) or self._ask(host)
        if kept.failure:
            raise ExchangeError(kept.failure)
        return kept.addresses

    def _look(self, host: str) -> _Kept | None:
        with self._lock:
            kept = self._kept.get(host)
            if kept is None or kept.until < monotonic():
                return None
            self._kept.move_to_end(host)
            return kept

    def _ask(self, host: str) -> _Kept:
        found, failure, keep_s = _lookup(host)
        kept = _Kept(monotonic() + keep_s, found, failure)
        with self._lock:
            self._kept[host] = kept
            self._kept.move_to_end(host)
            while len(self._kept) > HOSTS_KEPT:
                self._kept.popitem(last=False)
        return kept


def _lookup(host: str) -> tuple[tuple[Address, ...], str | None, float]:
    try:
        answers = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except socket.gaierror as error:
        again = error.errno == socket.EAI_AGAIN
        words = (error.strerror or "lookup failed").lower()
        return (), f"dns: {host}: {words}", TRY_AGAIN_S if again else FAILURE_KEPT_S
    except (UnicodeError, ValueError):
        return (), f"dns: {host[:80]!r} is no host name", FAILURE_KEPT_S
    except OSError as error:
        return (), f"dns: {host}: {error.strerror or error}", TRY_AGAIN_S
    found = {sockaddr: family for family, _, _, _, sockaddr in answers}
    addresses = [
        Address(family, str(sockaddr[0]).partition("%")[0], tuple(sockaddr))
        for sockaddr, family in found.items()
        if family in (socket.AF_INET, socket.AF_INET6)
    ]
    if not addresses:
        return (), f"dns: {host}: no address", FAILURE_KEPT_S
    return tuple(addresses[:ADDRESSES_MOST]), None, KEPT_S


def literal(host: str) -> str | None:
    """The address when `host` is one (brackets removed), else None."""
    bare = host.removeprefix("[").removesuffix("]").partition("%")[0]
    try:
        return str(ipaddress.ip_address(bare))
    except ValueError:
        return None
