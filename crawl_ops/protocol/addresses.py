"""Which addresses may be connected to: http.filter.ipaddress.include and .exclude."""

import ipaddress
from collections.abc import Callable, Iterable
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address

from crawl_ops.errors import ConfigError

IP = IPv4Address | IPv6Address
Rule = tuple[str, Callable[[IP], bool]]

INCLUDE = "http.filter.ipaddress.include"
EXCLUDE = "http.filter.ipaddress.exclude"
ADDRESS = "address "
"""What the reason of a refusal begins with."""
NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
SITELOCAL = tuple(
    ipaddress.ip_network(n) for n in ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fec0::/10")
)
# IANA's special-purpose registries, where ipaddress.is_global of Python 3.11 says otherwise.
NOT_PUBLIC = tuple(
    ipaddress.ip_network(n)
    for n in (
        "0.0.0.0/8",
        "100.64.0.0/10",
        "192.0.0.0/24",
        "192.88.99.0/24",
        "240.0.0.0/4",
        "::/96",
        "64:ff9b:1::/48",
        "100::/64",
        "2001::/23",
        "2001:db8::/32",
        "3fff::/20",
        "5f00::/16",
        "fec0::/10",
    )
)


class AddressFilter:
    """Refuses addresses; ConfigError for a rule that is neither a word nor an address.

    Words are Nutch's localhost and loopback (127.0.0.0/8, ::1) and sitelocal, and ours: linklocal,
    multicast, and private (all that is not public). An IPv6 address that stands for an IPv4 one
    (mapped, 6to4, NAT64) is refused when either is.
    """

    def __init__(self, include: Iterable[str], exclude: Iterable[str]) -> None:
        self._include = [_rule(INCLUDE, word) for word in include]
        self._exclude = [_rule(EXCLUDE, word) for word in exclude]
        self.refusal = lru_cache(4_096)(self._refusal)

    def _refusal(self, address: str) -> str | None:
        """Why `address` is refused, or None."""
        forms = _forms(ipaddress.ip_address(address))
        if self._include and not any(holds(forms[-1]) for _, holds in self._include):
            return f"{ADDRESS}{address} is not in {INCLUDE}"
        if any(holds(form) for form in forms for _, holds in self._exclude):
            return f"{ADDRESS}{address} is refused by {EXCLUDE}"
        return None


def _rule(prop: str, word: str) -> Rule:
    if word.lower() in WORDS:
        return word, WORDS[word.lower()]
    try:
        network = ipaddress.ip_network(word, strict=False)
    except ValueError:
        words = ", ".join(sorted(WORDS))
        raise ConfigError(
            f"{prop}: {word!r} is no address, CIDR block, or one of {words}"
        ) from None
    return word, lambda ip: ip.version == network.version and ip in network


def _forms(ip: IP) -> list[IP]:
    """The address, and the IPv4 address that it carries if any."""
    if isinstance(ip, IPv4Address):
        return [ip]
    carried = ip.ipv4_mapped or ip.sixtofour
    if carried is None and ip in NAT64:
        carried = IPv4Address(int(ip) & 0xFFFFFFFF)
    return [ip] if carried is None else [ip, carried]


def _is_private(ip: IP) -> bool:
    """Everything that is not globally routable unicast."""
    if isinstance(ip, IPv6Address):
        if ip.ipv4_mapped is not None:  # judged by the IPv4 address it carries
            return False
        if ip in NAT64 or ip.sixtofour is not None:
            return False
    return (
        not ip.is_global
        or ip.is_multicast
        or any(ip.version == network.version and ip in network for network in NOT_PUBLIC)
    )


def _is_sitelocal(ip: IP) -> bool:
    return any(ip.version == network.version and ip in network for network in SITELOCAL)


WORDS: dict[str, Callable[[IP], bool]] = {
    "localhost": lambda ip: ip.is_loopback,
    "loopback": lambda ip: ip.is_loopback,
    "sitelocal": _is_sitelocal,
    "linklocal": lambda ip: ip.is_link_local,
    "multicast": lambda ip: ip.is_multicast,
    "private": _is_private,
}
