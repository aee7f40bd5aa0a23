"""Where a redirect or a sitemap leads: now, in a later round, or nowhere and why."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from enum import Enum

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.storage.not_due import NotDue
from crawl_ops.urls.chain import UrlChain
from crawl_ops.urls.identity import UrlIdentifier, UrlIdentity
from crawl_ops.urls.linkscope import LinkScope


class Way(Enum):
    """What becomes of a target."""

    NOW = "now"
    LATER = "later"
    KNOWN = "known"  # asked for in this fetch already, or known and not due
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Target:
    """A normalized URL with its way; rule and detail say why it is refused."""

    way: Way
    url: str
    identity: UrlIdentity | None = None
    rule: str | None = None
    detail: str | None = None


class Targets:
    """Decides by filters, scope, what is known, and whose host it is."""

    def __init__(
        self,
        config: CrawlConfig,
        identifier: UrlIdentifier,
        not_due: NotDue,
        ours: Callable[[str, int], bool],
        seen: Callable[[int], bool],
    ) -> None:
        self._chain = UrlChain(config, "fetcher")
        self._scope = LinkScope(config)
        self._longest = config.db.max_outlink_length
        self._identifier = identifier
        self._not_due = not_due
        self._ours = ours
        self._seen = seen

    def of(
        self, source: UrlIdentity, source_url: str, url: str, number: int, now: datetime
    ) -> Target:
        """The target `url` of a redirect at `source_url`, or of its robots.txt (Nutch rule 5.4)."""
        if len(url) > self._longest:
            return Target(Way.REFUSED, url[:200], rule="db.max.outlink.length")
        verdict = self._chain.judge(url)
        if verdict.url is None:
            rule = f"urlfilter.{verdict.rejected_by}"
            return Target(Way.REFUSED, url, rule=rule, detail=verdict.rule)
        if verdict.url == source_url:
            return Target(Way.REFUSED, verdict.url, rule="redirects to itself")
        to = self._identifier.identify(verdict.url)
        if rejected := self._scope.rejects_redirect(source, to, verdict.url):
            rule, _, detail = rejected.partition(": ")
            return Target(Way.REFUSED, verdict.url, to, rule, detail)
        if self._seen(to.k) or self._not_due.has(verdict.url, to.k, to.host, to.slot, now):
            return Target(Way.KNOWN, verdict.url, to)
        way = Way.NOW if self._ours(to.host, number) else Way.LATER
        return Target(way, verdict.url, to)
