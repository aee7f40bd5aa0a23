"""urlnormalizer-pass: leaves a URL as it is, to switch normalizing off for a scope."""

from crawl_ops.config.properties import CrawlConfig


class PassUrlNormalizer:
    """Changes nothing."""

    name = "pass"
    fingerprint = "pass"

    def __init__(self, config: CrawlConfig, scope: str = "default") -> None:
        del config, scope

    def normalize(self, url: str) -> str | None:
        """The URL itself."""
        return url
