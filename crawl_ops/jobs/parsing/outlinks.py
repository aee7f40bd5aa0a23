"""Which outlinks of a page are kept, and the share of its score each gets (Nutch rules 9, 12)."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple, TypeAlias

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.model import LinkKind
from crawl_ops.parse.page import Outlink, Parsed
from crawl_ops.storage.link_batches import LinkRow, LinkSource, LinkTarget
from crawl_ops.urls.chain import UrlChain
from crawl_ops.urls.identity import UrlIdentifier, UrlIdentity
from crawl_ops.urls.linkscope import LinkScope

REMEMBERED = 200_000
REMEMBERED_CHARACTERS = 40_000_000
MOST_REJECTED_KEPT = 1000
SELF = "link to itself"
FURTHER = -1  # the position of a refresh or canonical target, which is no link of the page
SHARING = (LinkKind.LINK, LinkKind.FEED)
Refusal: TypeAlias = tuple[str, str | None]  # the rule, and the line of it or a detail


class Known(NamedTuple):
    """A URL as judged once for all pages: its identity as a target, or why it is refused.

    url and k are of the normalized URL also where it is refused, so that it can be asked for.
    """

    url: str
    k: int
    to: UrlIdentity | None
    target: LinkTarget | None
    refusal: Refusal | None = None


@dataclass(slots=True)
class Judged:
    """The links of one page: those kept, rows of `rejected`, counts by rule."""

    source: LinkSource
    kept: list[tuple[LinkTarget, LinkRow]] = field(default_factory=list)
    outlinks: int = 0  # what Nutch calls so: all kept but refresh and canonical
    refresh_url: str | None = None
    canonical_url: str | None = None
    rejected: list[dict[str, Any]] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)


class OutlinkJudge:
    """Normalizes, filters and limits outlinks. Verdicts are remembered: pages share their links."""

    def __init__(self, config: CrawlConfig, identifier: UrlIdentifier) -> None:
        self._config = config
        self._identifier = identifier
        parse = config.parse
        self._outlink = UrlChain(
            config, "outlink", normalize=parse.normalize_urls, filter=parse.filter_urls
        )
        self._fetcher = UrlChain(config, "fetcher")
        self.filters = self._outlink.filters if parse.filter_urls else ""
        self._scope = LinkScope(config)
        self._has_scope = config.db.ignore_internal_links or config.db.ignore_external_links
        self._known: dict[str, Known] = {}
        self._held = 0  # characters of the URLs known
        self._strict = config.sitemap.strict_parsing
        self._by_depth = "depth" in config.scoring.filter_order
        self._by_opic = "opic" in config.scoring.filter_order

    def judge(self, row: dict[str, Any], parsed: Parsed, now: datetime) -> Judged:
        """The links of the page whose content row is `row`."""
        url = row["url"]
        page = self._identifier.identify(url)
        judged = Judged(LinkSource(page.k, url, page.host, row["attempt"], row["max_depth"]))
        limit = self._config.db.max_outlinks_per_page
        longest = self._config.db.max_outlink_length
        too_deep = self._too_deep(row)
        links: list[tuple[int, Outlink, Known]] = []
        capped = 0
        for position, link in enumerate(parsed.outlinks):
            is_link = link.kind is LinkKind.LINK
            refusal: Refusal | None
            if len(link.url) > longest:  # before all else: what is looked up is remembered
                found, refusal = self._plain(link.url), ("db.max.outlink.length", None)
            elif is_link and 0 <= limit <= capped:
                found, refusal = self._look(link.url), ("db.max.outlinks.per.page", str(limit))
            elif link.url == url:
                judged.counts[SELF] += 1
                continue
            else:
                found = self._look(link.url)
                refusal = found.refusal
                if refusal is None and (self._has_scope or not is_link):
                    refusal = self._out_of_scope(page, link, found)
                if refusal is None and link.kind is not LinkKind.CANONICAL:
                    refusal = too_deep
                if refusal is None:
                    links.append((position, link, found))
                    capped += is_link
                    continue
            self._reject(judged, row, found, refusal, now)
        self._keep(judged, row, page, parsed, links, now)
        self._further(judged, row, page, parsed, now)
        return judged

    def _look(self, url: str) -> Known:
        found = self._known.get(url)
        if found is None:
            page = self._outlink.without_fragment(url) if "#" in url else url
            found = self._known.get(page) or self._judged_by(self._outlink, page)
            if found.to is None and page != url:  # of what is malformed the whole URL is told
                found = self._judged_by(self._outlink, url)
            self._held += len(url)
            if len(self._known) >= REMEMBERED or self._held >= REMEMBERED_CHARACTERS:
                self._known.clear()
                self._held = 0
            self._known[url] = found
            if found.to is not None:
                self._known[page] = found
        return found

    def _judged_by(self, chain: UrlChain, url: str) -> Known:
        verdict = chain.judge(url)
        if verdict.url is not None:
            to = self._identifier.identify(verdict.url)
            return Known(verdict.url, to.k, to, _target(verdict.url, to))
        plain = verdict.normalized or url
        refusal = (f"urlfilter.{verdict.rejected_by}", verdict.rule)
        return Known(plain, self._identifier.identify(plain).k, None, None, refusal)

    def _plain(self, url: str) -> Known:
        plain = self._outlink.normalize(url) or url
        return Known(plain, self._identifier.identify(plain).k, None, None)

    def _out_of_scope(self, page: UrlIdentity, link: Outlink, found: Known) -> Refusal | None:
        to = found.to
        if to is None:
            return None
        if self._has_scope and (scope := self._scope.rejects(page, to, found.url)):
            return _refusal(scope)
        if link.kind is LinkKind.SITEMAP and self._strict and to.host != page.host:
            return "sitemap.strict.parsing", "another host"
        return None

    def _too_deep(self, row: dict[str, Any]) -> Refusal | None:
        """Nutch's scoring-depth: links of pages without depth, or at their limit, do not count."""
        if not self._by_depth:
            return None
        rule = "scoring.depth.max"
        if row["depth"] is None:
            return rule, "the page has no depth"
        most = row["max_depth"] or self._config.scoring.depth_max
        return (rule, f"depth {row['depth']} of {most}") if row["depth"] >= most else None

    def _keep(
        self,
        judged: Judged,
        row: dict[str, Any],
        page: UrlIdentity,
        parsed: Parsed,
        links: Sequence[tuple[int, Outlink, Known]],
        now: datetime,
    ) -> None:
        inside, outside = self._shares(row, parsed, links)
        depth = None if row["depth"] is None else row["depth"] + 1
        host = page.host
        for position, link, found in links:
            target, kind, changed = found.target, link.kind, link.modified_time
            if target is None:
                continue
            if kind is LinkKind.LINK or kind is LinkKind.FEED:
                score = inside if target.to_host == host else outside
            else:
                score = link.priority or 0.0
            if changed is not None and changed > now:
                changed = None
            anchor, rel = link.anchor or None, link.rel or None
            at = row["depth"] if kind is LinkKind.CANONICAL else depth
            interval = link.interval_s
            if interval is not None:
                interval = min(interval, self._config.db.fetch_interval_max)
            kept = LinkRow(kind, position, anchor, rel, score, at, interval, changed)
            judged.kept.append((target, kept))
        judged.outlinks = len(judged.kept)

    def _shares(
        self,
        row: dict[str, Any],
        parsed: Parsed,
        links: Sequence[tuple[int, Outlink, Known]],
    ) -> tuple[float, float]:
        """OPIC: the share of each kept outlink inside the host, and outside (Nutch rule 12)."""
        db = self._config.db
        kept = sum(1 for _, link, _ in links if link.kind in SHARING)
        number = parsed.outlinks_found if db.score_count_filtered else kept
        if not number or not self._by_opic:
            return 0.0, 0.0
        share = row["score"] / number
        return share * db.score_link_internal, share * db.score_link_external

    def _further(
        self,
        judged: Judged,
        row: dict[str, Any],
        page: UrlIdentity,
        parsed: Parsed,
        now: datetime,
    ) -> None:
        """The targets of a meta refresh and of rel=canonical (scope fetcher).

        They stand for the page, so they are at its depth. A canonical of the head is an outlink
        too, and has its row already; one of a Link header is not.
        """
        for kind, url in (
            (LinkKind.REFRESH, parsed.refresh_url),
            (LinkKind.CANONICAL, parsed.canonical_url),
        ):
            if not url:
                continue
            if url == row["url"]:  # as most pages name themselves: the crawl knows it already
                judged.canonical_url = url if kind is LinkKind.CANONICAL else judged.canonical_url
                continue
            found = self._judged_by(self._fetcher, url)
            refusal = found.refusal
            if refusal is None and found.url != row["url"]:
                refusal = self._not_for(page, found)
            if refusal is not None:
                if not any(link.kind is kind for link in parsed.outlinks):
                    self._reject(judged, row, found, refusal, now)
                continue
            if kind is LinkKind.CANONICAL:
                judged.canonical_url = found.url
            elif found.url != row["url"]:
                judged.refresh_url = found.url
            self._stand_in(judged, row, kind, found)

    def _not_for(self, page: UrlIdentity, found: Known) -> Refusal | None:
        if found.to is None or not self._has_scope:
            return None
        scope = self._scope.rejects_redirect(page, found.to, found.url)
        return _refusal(scope) if scope else None

    def _stand_in(self, judged: Judged, row: dict[str, Any], kind: LinkKind, found: Known) -> None:
        """A row for another page that stands for this one, unless there is one."""
        if found.target is None or found.url == row["url"]:
            return
        if not any(link.kind is kind and to.k == found.k for to, link in judged.kept):
            link = LinkRow(kind, FURTHER, None, None, 0.0, row["depth"], None, None)
            judged.kept.append((found.target, link))

    def _reject(
        self,
        judged: Judged,
        row: dict[str, Any],
        found: Known,
        refusal: Refusal,
        now: datetime,
    ) -> None:
        rule, detail = refusal
        judged.counts[rule] += 1
        if not self._config.parse.store_rejected or len(judged.rejected) >= MOST_REJECTED_KEPT:
            return
        judged.rejected.append(
            {
                "k": found.k,
                "url": found.url[: self._config.db.max_outlink_length],
                "attempt": row["attempt"],
                "step": "parse",
                "rule": rule,
                "detail": detail,
                "from_url": row["url"],
                "time": now,
            }
        )


def _target(url: str, to: UrlIdentity) -> LinkTarget:
    return LinkTarget(to.k, to.slot, url, to.host, to.domain)


def _refusal(text: str) -> Refusal:
    rule, _, detail = text.partition(": ")
    return rule, detail or None
