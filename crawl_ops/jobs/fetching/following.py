"""What an answer leads to: the target of a redirect, sitemaps of robots.txt and of an index."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.jobs.fetching.items import SITEMAP, FetchItem, found_item
from crawl_ops.jobs.fetching.rows import COPIED, link_row, rejected_row
from crawl_ops.jobs.fetching.targets import Target, Targets, Way
from crawl_ops.model import LinkKind, ProtocolStatus
from crawl_ops.protocol.answer import Answer
from crawl_ops.storage.fetch_writer import FetchRecord
from crawl_ops.urls.identity import UrlIdentifier, UrlIdentity
from crawl_ops.urls.redirect import repr_url

REDIRECTS = (ProtocolStatus.MOVED, ProtocolStatus.TEMP_MOVED)
STRICT = "sitemap.strict.parsing"
MOST = "sitemap.max.per.host"


@dataclass(slots=True)
class Source:
    """The item in hand, its record, and when."""

    item: FetchItem
    record: FetchRecord
    now: datetime


class Follower:
    """Puts what is found into the queues, or into the record for a later round.

    add: takes an item into its queue.
    """

    def __init__(
        self,
        config: CrawlConfig,
        identifier: UrlIdentifier,
        targets: Targets,
        attempt: str,
        add: Callable[[FetchItem], None],
    ) -> None:
        self._config = config
        self._identifier = identifier
        self._targets = targets
        self._attempt = attempt
        self._add = add
        self._sitemaps: Counter[str] = Counter()

    # redirects

    def redirect(self, source: Source, answer: Answer, row: dict[str, Any]) -> None:
        """Follow a redirect at once or later (Nutch rule 5.4); `row`, its fetch row, says which."""
        item = source.item
        if answer.location is None:
            return
        identity = item.identity
        target = self._targets.of(identity, item.url, answer.location, item.list, source.now)
        if target.identity is None or target.way is Way.REFUSED:
            row["reason"] = f"redirect to {target.url[:500]} refused: {_why(target)}"
            self._reject(source, target)
            return
        row["redirect_url"], row["reason"] = target.url, f"redirect to {target.url}"
        if target.way is Way.KNOWN:
            return
        limit = self._config.http.redirect_max
        if target.way is Way.NOW and item.hops < limit:
            temporary = answer.status is ProtocolStatus.TEMP_MOVED
            self._follow(item, target.url, target.identity, temporary)
        elif item.hops >= limit > 0 and self._config.http.redirect_max_exceeded_skip:
            row["reason"] = f"redirect to {target.url} not followed: http.redirect.max {limit}"
        else:
            self._later(source, target.url, target.identity, item.url, LinkKind.REDIRECT)

    def _follow(self, item: FetchItem, url: str, identity: UrlIdentity, temporary: bool) -> None:
        found = found_item(
            item,
            url,
            identity,
            self._config,
            kind=item.kind,
            hops=item.hops + 1,
            source_url=item.url,
            repr_url=repr_url(item.repr_url or item.url, url, temporary),
        )
        self._add(found)

    def resume(self, number: int, rows: Sequence[Mapping[str, Any]], now: datetime) -> None:
        """Queue the targets of redirects that an earlier attempt recorded but did not reach.

        rows: crawl_fetch rows with a redirect_url.
        """
        for row in rows:
            copied: dict[str, Any] = {name: row[name] for name in COPIED}
            item = FetchItem(
                number, copied, hops=row["hops"], via=row["via"], repr_url=row["repr_url"]
            )
            if item.hops >= self._config.http.redirect_max:
                continue
            target = self._targets.of(item.identity, item.url, row["redirect_url"], number, now)
            if target.way is Way.NOW and target.identity is not None:
                temporary = row["protocol_status"] == ProtocolStatus.TEMP_MOVED
                self._follow(item, target.url, target.identity, temporary)

    # sitemaps

    def sitemaps(
        self, source: Source, source_url: str, urls: Sequence[str], *, same_host: bool = False
    ) -> None:
        """Read sitemaps that the robots.txt or sitemap index at `source_url` names.

        same_host: those of other hosts are refused, unless sitemap.strict.parsing is off.
        """
        same_host = same_host and self._config.sitemap.strict_parsing
        identity = self._identifier.identify(source_url)
        for url in urls:
            self._sitemap(source, identity, source_url, url, same_host)

    def _sitemap(
        self, source: Source, identity: UrlIdentity, source_url: str, url: str, same_host: bool
    ) -> None:
        item = source.item
        target = self._targets.of(identity, source_url, url, item.list, source.now)
        if target.identity is None or target.way is Way.REFUSED:
            self._reject(source, target)
        elif target.way is Way.KNOWN:
            return
        elif same_host and target.identity.host != identity.host:
            self._refuse(source, target, STRICT, "another host")
        elif self._sitemaps[item.host] >= self._config.sitemap.max_per_host:
            self._refuse(source, target, MOST, str(self._config.sitemap.max_per_host))
        elif target.way is Way.NOW:
            self._sitemaps[item.host] += 1
            found = found_item(
                item, target.url, target.identity, self._config, kind=SITEMAP, source_url=source_url
            )
            self._add(found)
        else:
            self._sitemaps[item.host] += 1
            self._later(source, target.url, target.identity, source_url, LinkKind.SITEMAP)

    # rows

    def left(self, item: FetchItem) -> dict[str, Any] | None:
        """The link by which a later round asks for an item found on the way that is left now."""
        if item.source_url is None:
            return None
        kind = LinkKind.SITEMAP if item.kind == SITEMAP and not item.hops else LinkKind.REDIRECT
        by = self._identifier.identify(item.source_url)
        return link_row(item, by, item.source_url, item.url, item.identity, kind, self._attempt)

    def _later(
        self, source: Source, url: str, identity: UrlIdentity, source_url: str, kind: LinkKind
    ) -> None:
        by = self._identifier.identify(source_url)
        row = link_row(source.item, by, source_url, url, identity, kind, self._attempt)
        source.record.crawl_parse.append(row)

    def _refuse(self, source: Source, target: Target, rule: str, detail: str) -> None:
        self._reject(source, Target(Way.REFUSED, target.url, target.identity, rule, detail))

    def _reject(self, source: Source, target: Target) -> None:
        k = (target.identity or self._identifier.identify(target.url)).k
        rule = target.rule or "refused"
        source.record.rejected.append(
            rejected_row(
                k, target.url, rule, target.detail, source.now, self._attempt, source.item.url
            )
        )


def _why(target: Target) -> str:
    return f"{target.rule}: {target.detail}" if target.detail else str(target.rule)
