"""urlfilter-prefix: only URLs that begin with a listed prefix."""

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.urls.rulefile import rules_of


class PrefixUrlFilter:
    """One prefix a line. Without any, every URL is refused (Nutch)."""

    name = "prefix"

    def __init__(self, config: CrawlConfig) -> None:
        group = config.urlfilter
        rules = rules_of(
            "urlfilter.prefix", group.prefix_rules, group.prefix_file, "prefix-urlfilter.txt"
        )
        self._prefixes = tuple(entry for _, entry in rules.entries())
        self.fingerprint = f"prefix {rules.text}"

    def refusal(self, url: str) -> str | None:
        """Why `url` is refused; None when it begins with a listed prefix."""
        return None if url.startswith(self._prefixes) else "begins with no listed prefix"
