"""Opening a connection: resolve once, judge the addresses, connect to one that was judged."""

import socket

from crawl_ops.protocol.addresses import AddressFilter
from crawl_ops.protocol.exchange import Exchange, ExchangeError
from crawl_ops.protocol.resolver import Address, Resolver

TRIES_MOST = 4


class Dialer:
    """Makes sockets. The name is not looked up again after its addresses were judged, so a
    server cannot answer with another address in between (DNS rebinding).
    """

    def __init__(self, resolver: Resolver, addresses: AddressFilter) -> None:
        self._resolver = resolver
        self._filter = addresses

    def connect(self, host: str, port: int, exchange: Exchange, *, trusted: bool) -> socket.socket:
        """A connected socket; raises ExchangeError with dns, address or connect as its reason.

        `trusted` is for the proxy of the configuration: its own address is not judged.
        """
        addresses = self._resolver.addresses(host)
        if not trusted:
            addresses = self._allowed(addresses)
        failure: ExchangeError | None = None
        for address in addresses[:TRIES_MOST]:
            try:
                sock = _connected(address, port, exchange)
            except ExchangeError as error:
                failure = failure or error
            else:
                exchange.ip_address = address.ip
                return sock
        raise failure or ExchangeError("dns: no address")

    def check_literal(self, ip: str) -> None:
        """Raises ExchangeError when an address written in a URL is refused (used with a proxy)."""
        refusal = self._filter.refusal(ip)
        if refusal:
            raise ExchangeError(refusal)

    def _allowed(self, addresses: tuple[Address, ...]) -> tuple[Address, ...]:
        refusals = [self._filter.refusal(address.ip) for address in addresses]
        allowed = tuple(a for a, refusal in zip(addresses, refusals, strict=True) if not refusal)
        if not allowed:
            raise ExchangeError(refusals[0] or "address refused")
        return allowed


def _connected(address: Address, port: int, exchange: Exchange) -> socket.socket:
    where = f"{address.ip} port {port}"
    step = exchange.step_s()
    sock = socket.socket(address.family, socket.SOCK_STREAM)
    try:
        sock.settimeout(step)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        sock.connect((address.sockaddr[0], port, *address.sockaddr[2:]))
    except OSError as error:
        sock.close()
        raise ExchangeError(f"{_what(error)}: {where}") from None
    except BaseException:
        sock.close()
        raise
    return sock


def _what(error: OSError) -> str:
    if isinstance(error, ConnectionRefusedError):
        return "connect refused"
    if isinstance(error, TimeoutError):
        return "connect timeout"
    return f"connect failed, {(error.strerror or str(error)).lower()}"
