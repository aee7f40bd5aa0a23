"""urlnormalizer-slash: with or without a slash at the end of the path, by host."""

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.urls.hosts import parts_of
from crawl_ops.urls.normalizers.hosttable import HostTable
from crawl_ops.urls.rulefile import rules_of

_LOOKS_LIKE_A_FILE = 6
"""A dot within so many last characters of the path is an extension's (Nutch)."""


class SlashUrlNormalizer:
    """Rules are lines `HOST +` (add the slash) or `HOST -` (remove it).

    Port and fragment stay, which Nutch loses.
    """

    name = "slash"

    def __init__(self, config: CrawlConfig, scope: str = "default") -> None:
        del scope
        rules = rules_of("urlnormalizer.slashes", "", config.urlnormalizer.slashes_file, None)
        self._signs: HostTable[str] = HostTable()
        for number, entry in rules.entries():
            host, _, sign = entry.replace("\t", " ").partition(" ")
            if sign.strip() not in ("+", "-"):
                raise rules.fault(number, f"a rule is HOST + or HOST -, not {entry!r}")
            self._signs.put(host, sign.strip())
        self.fingerprint = f"slash {rules.text}"

    def normalize(self, url: str) -> str | None:
        """The URL with the slash its host wants."""
        parts = parts_of(url) if self._signs else None
        if parts is None or len(parts.path) <= 1:
            return url
        sign, path = self._signs.get(parts.host.lower()), parts.path
        if sign == "-" and path.endswith("/"):
            return parts._replace(path=path[:-1]).join()
        if sign == "+" and not path.endswith("/") and not _is_file(path):
            return parts._replace(path=path + "/").join()
        return url


def _is_file(path: str) -> bool:
    return len(path) >= _LOOKS_LIKE_A_FILE and "." in path[-_LOOKS_LIKE_A_FILE:]
