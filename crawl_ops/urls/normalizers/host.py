"""urlnormalizer-host: one host for several names of a site."""

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.urls.hosts import parts_of
from crawl_ops.urls.normalizers.hosttable import HostTable
from crawl_ops.urls.rulefile import rules_of


class HostUrlNormalizer:
    """Rules are lines `SOURCE TARGET`; the source may be `*.domain`."""

    name = "host"

    def __init__(self, config: CrawlConfig, scope: str = "default") -> None:
        del scope
        rules = rules_of("urlnormalizer.hosts", "", config.urlnormalizer.hosts_file, None)
        self._targets: HostTable[str] = HostTable()
        for number, entry in rules.entries():
            names = entry.split()
            if len(names) != 2 or "/" in entry:
                raise rules.fault(number, f"a rule is SOURCE TARGET, not {entry!r}")
            self._targets.put(*names)
        self.fingerprint = f"host {rules.text}"

    def normalize(self, url: str) -> str | None:
        """The URL with its host replaced."""
        parts = parts_of(url) if self._targets else None
        target = self._targets.get(parts.host.lower()) if parts and parts.host else None
        return parts._replace(host=target).join() if parts and target else url
