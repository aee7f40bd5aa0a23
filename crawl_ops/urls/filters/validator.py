"""urlfilter-validator: only URLs of a safe, common form (after Commons Validator, as in Nutch)."""

import re

from crawl_ops.config.properties import CrawlConfig

_PARTS = re.compile(r"(?:([^:/?#]+):)?(?://([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?")
_PRINTABLE = re.compile(r"[\x21-\x7e]+")
_SCHEME = re.compile(r"[A-Za-z]+")
_AUTHORITY = re.compile(r"([A-Za-z0-9_.-]+)(:[0-9]{1,5})?")
_IPV4 = re.compile(r"[0-9]{1,3}(?:\.[0-9]{1,3}){3}")
_HOST = re.compile(r"(?:[A-Za-z0-9_-]+\.)+[A-Za-z][A-Za-z0-9_-]+")
_PATH = re.compile(r"(?:/[-\w:@&?=+,.!/~*'%$;()]*)?", re.ASCII)


class ValidatorUrlFilter:
    """Printable ASCII, a scheme of letters, a host of two labels or an IPv4 address, plain path."""

    name = "validator"
    fingerprint = "validator"

    def __init__(self, config: CrawlConfig) -> None:
        del config

    def refusal(self, url: str) -> str | None:
        """What is wrong with `url`; None when it is valid."""
        if not _PRINTABLE.fullmatch(url):
            return "characters other than printable ASCII"
        found = _PARTS.fullmatch(url)
        if found is None:
            return "is no URL"
        scheme, authority, path, _, _ = found.groups()
        if not _SCHEME.fullmatch(scheme or ""):
            return "no scheme of letters"
        return _authority_fault(authority or "") or _path_fault(path)


def _authority_fault(authority: str) -> str | None:
    found = _AUTHORITY.fullmatch(authority)
    if found is None:
        return "no plain host and port"
    host = found[1].removesuffix(".")
    if _IPV4.fullmatch(host):
        return None if all(int(part) <= 255 for part in host.split(".")) else "no IPv4 address"
    return None if _HOST.fullmatch(host) else "a host name needs two labels, the last of letters"


def _path_fault(path: str) -> str | None:
    if not _PATH.fullmatch(path):
        return "characters that are unusual in a path"
    ups = path.count("..")
    if ups and path.count("/") - _double_slashes(path) - 1 <= ups:
        return "more .. than the path is deep"
    return None


def _double_slashes(path: str) -> int:
    # Overlapping ones too: /// has two.
    return sum(path.startswith("//", at) for at in range(len(path)))
