"""Which links leave a site, and whether they count (db.ignore.*.links)."""

from typing import Protocol

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.urls.exemptions import LinkExemptions


class Sited(Protocol):
    """Anything that knows host and domain of a URL, such as a UrlIdentity."""

    @property
    def host(self) -> str: ...
    @property
    def domain(self) -> str: ...


class LinkScope:
    """Decides by db.ignore.internal.links, …external.links, …external.links.mode.

    Nutch's rules: an outlink is compared by host or by domain, as the mode says; a redirect only
    counts with db.ignore.also.redirects, and is internal by host whatever the mode. What
    db.ignore.external.exemptions.file accepts may leave the host (in mode byHost only).
    """

    def __init__(self, config: CrawlConfig) -> None:
        self._no_internal = config.db.ignore_internal_links
        self._no_external = config.db.ignore_external_links
        self._by_domain = config.db.ignore_external_links_mode == "byDomain"
        self._also_redirects = config.db.ignore_also_redirects
        self._exemptions = LinkExemptions(config)

    def rejects(self, source: Sited, target: Sited, url: str = "") -> str | None:
        """Why the link from `source` to `target` (`url`) does not count; None if it does."""
        external = self._external(source, target, url)
        return external or self._internal(source, target, self._by_domain)

    def rejects_redirect(self, source: Sited, target: Sited, url: str = "") -> str | None:
        """Why the redirect (or meta refresh) does not count; None if it does."""
        if not self._also_redirects:
            return None
        return self._external(source, target, url) or self._internal(source, target, False)

    def _external(self, source: Sited, target: Sited, url: str) -> str | None:
        if not self._no_external or (target.host and self._same(source, target, self._by_domain)):
            return None
        if target.host and not self._by_domain and self._exemptions.exempts(url):
            return None
        unit = "domain" if self._by_domain else "host"
        theirs = target.domain if self._by_domain else target.host
        return f"db.ignore.external.links: another {unit} ({theirs or 'none'})"

    def _internal(self, source: Sited, target: Sited, by_domain: bool) -> str | None:
        if not self._no_internal or not self._same(source, target, by_domain):
            return None
        return f"db.ignore.internal.links: same {'domain' if by_domain else 'host'}"

    @staticmethod
    def _same(source: Sited, target: Sited, by_domain: bool) -> bool:
        return source.domain == target.domain if by_domain else source.host == target.host
