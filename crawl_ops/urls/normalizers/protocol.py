"""urlnormalizer-protocol: http or https, by host."""

import logging
import re

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.urls.hosts import parts_of
from crawl_ops.urls.normalizers.hosttable import HostTable
from crawl_ops.urls.rulefile import rules_of

_log = logging.getLogger(__name__)
_PROTOCOL = re.compile(r"[a-z][a-z0-9+.-]*")


class ProtocolUrlNormalizer:
    """Rules are lines `HOST TAB PROTOCOL`; the host may be `*.domain`.

    A URL with a port of its own stays. Lines that are no such rule are logged and skipped (Nutch).
    """

    name = "protocol"

    def __init__(self, config: CrawlConfig, scope: str = "default") -> None:
        del scope
        group = config.urlnormalizer
        rules = rules_of(
            "urlnormalizer.protocols", group.protocols_rules, group.protocols_file, None
        )
        self._protocols: HostTable[str] = HostTable()
        for number, line in rules.lines():
            if not line.strip() or line.startswith("#"):
                continue
            names = line.rstrip().split("\t")
            if len(names) != 2 or not names[0].strip() or not _PROTOCOL.fullmatch(names[1].strip()):
                _log.warning("%s:%d: no rule HOST TAB PROTOCOL: skipped", rules.origin, number)
                continue
            self._protocols.put(names[0].strip(), names[1].strip())
        self.fingerprint = f"protocol {rules.text}"

    def normalize(self, url: str) -> str | None:
        """The URL with its scheme replaced."""
        parts = parts_of(url) if self._protocols else None
        if parts is None or not parts.host or parts.port is not None:
            return url
        protocol = self._protocols.get(parts.host.lower())
        return parts._replace(scheme=protocol).join() if protocol else url
