"""Which outlinks of a page are kept, and the share of its score each gets (Nutch rules 9, 12)."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.model import LinkKind, Verdict
from crawl_ops.parse.page import Outlink, Parsed
from crawl_ops.urls.chain import UrlChain
from crawl_ops.urls.identity import UrlIdentifier, UrlIdentity
from crawl_ops.urls.linkscope import LinkScope

REMEMBERED = 200_000
MOST_REJECTED_KEPT = 1000
CAPPED = (LinkKind.LINK,)


@dataclass(slots=True)
class Judged:
    """The links of one page: rows of crawl_parse and of `rejected`, and counts by rule."""

    kept: list[dict[str, Any]] = field(default_factory=list)
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
        self._scope = LinkScope(config)
        self._known: dict[str, tuple[Verdict, UrlIdentity | None]] = {}
        self._strict = config.sitemap.strict_parsing
        self._by_depth = "depth" in config.scoring.filter_order

    def judge(self, row: dict[str, Any], parsed: Parsed, now: datetime) -> Judged:
        """The links of the page whose content row is `row`."""
        page = self._identifier.identify(row["url"])
        judged = Judged()
        limit = self._config.db.max_outlinks_per_page
        capped = 0
        for position, link in enumerate(parsed.outlinks):
            if link.kind in CAPPED and 0 <= limit <= capped:
                self._reject(judged, row, link.url, "db.max.outlinks.per.page", str(limit), now)
                continue
            kept = self._one(judged, row, page, link, position, now)
            capped += kept and link.kind in CAPPED
        self._further(judged, row, page, parsed, now)
        self._share(judged, row, page, parsed)
        return judged

    def _one(
        self,
        judged: Judged,
        row: dict[str, Any],
        page: UrlIdentity,
        link: Outlink,
        position: int,
        now: datetime,
    ) -> bool:
        if len(link.url) > self._config.db.max_outlink_length:
            self._reject(judged, row, link.url, "db.max.outlink.length", None, now)
            return False
        if link.url == row["url"]:
            judged.counts["link to itself"] += 1
            return False
        verdict, to = self._verdict(link.url)
        if verdict.url is None or to is None:
            rule = f"urlfilter.{verdict.rejected_by}"
            self._reject(judged, row, link.url, rule, verdict.rule, now)
            return False
        if scope := self._scope.rejects(page, to, verdict.url):
            rule, _, detail = scope.partition(": ")
            self._reject(judged, row, verdict.url, rule, detail, now)
            return False
        if link.kind is LinkKind.SITEMAP and self._strict and to.host != page.host:
            self._reject(judged, row, verdict.url, "sitemap.strict.parsing", "another host", now)
            return False
        if self._by_depth and (too_deep := self._too_deep(row)):
            self._reject(judged, row, verdict.url, "scoring.depth.max", too_deep, now)
            return False
        judged.kept.append(self._row(row, page, verdict.url, to, link, position, now))
        return True

    def _verdict(self, url: str) -> tuple[Verdict, UrlIdentity | None]:
        found = self._known.get(url)
        if found is None:
            verdict = self._outlink.judge(url)
            to = self._identifier.identify(verdict.url) if verdict.url is not None else None
            found = (verdict, to)
            if len(self._known) >= REMEMBERED:
                self._known.clear()
            self._known[url] = found
        return found

    def _too_deep(self, row: dict[str, Any]) -> str | None:
        """Nutch's scoring-depth: links of pages without depth, or at their limit, do not count."""
        if row["depth"] is None:
            return "the page has no depth"
        most = row["max_depth"] or self._config.scoring.depth_max
        return f"depth {row['depth']} of {most}" if row["depth"] >= most else None

    def _row(
        self,
        row: dict[str, Any],
        page: UrlIdentity,
        url: str,
        to: UrlIdentity,
        link: Outlink,
        position: int,
        now: datetime,
    ) -> dict[str, Any]:
        changed = link.modified_time
        return {
            "k": to.k,
            "slot": to.slot,
            "to_url": url,
            "to_host": to.host,
            "to_domain": to.domain,
            "from_k": page.k,
            "from_url": row["url"],
            "from_host": page.host,
            "attempt": row["attempt"],
            "kind": link.kind,
            "position": position,
            "anchor": link.anchor or None,
            "rel": link.rel or None,
            "score": link.priority or 0.0,
            "depth": None if row["depth"] is None else row["depth"] + 1,
            "max_depth": row["max_depth"],
            "interval_s": link.interval_s,
            "modified_time": changed if changed is not None and changed <= now else None,
        }

    def _further(
        self,
        judged: Judged,
        row: dict[str, Any],
        page: UrlIdentity,
        parsed: Parsed,
        now: datetime,
    ) -> None:
        """The targets of a meta refresh and of rel=canonical (scope fetcher)."""
        for kind, url in (
            (LinkKind.REFRESH, parsed.refresh_url),
            (LinkKind.CANONICAL, parsed.canonical_url),
        ):
            if not url or url == row["url"]:
                continue
            verdict = self._fetcher.judge(url)
            if verdict.url is None:
                rule = f"urlfilter.{verdict.rejected_by}"
                self._reject(judged, row, url, rule, verdict.rule, now)
                continue
            to = self._identifier.identify(verdict.url)
            if scope := self._scope.rejects_redirect(page, to, verdict.url):
                rule, _, detail = scope.partition(": ")
                self._reject(judged, row, verdict.url, rule, detail, now)
            elif verdict.url != row["url"]:
                link = Outlink(url=verdict.url, anchor="", rel="", kind=kind)
                judged.kept.append(self._row(row, page, verdict.url, to, link, -1, now))

    def _share(
        self, judged: Judged, row: dict[str, Any], page: UrlIdentity, parsed: Parsed
    ) -> None:
        """OPIC: each kept outlink gets its share of the page's score (Nutch rule 12)."""
        links = [link for link in judged.kept if link["kind"] in (LinkKind.LINK, LinkKind.FEED)]
        db = self._config.db
        number = parsed.outlinks_found if db.score_count_filtered else len(links)
        if not number or "opic" not in self._config.scoring.filter_order:
            return
        for link in links:
            internal = link["to_host"] == page.host
            factor = db.score_link_internal if internal else db.score_link_external
            link["score"] = row["score"] / number * factor

    def _reject(
        self,
        judged: Judged,
        row: dict[str, Any],
        url: str,
        rule: str,
        detail: str | None,
        now: datetime,
    ) -> None:
        judged.counts[rule] += 1
        if not self._config.parse.store_rejected or len(judged.rejected) >= MOST_REJECTED_KEPT:
            return
        plain = self._fetcher.normalize(url) or url
        judged.rejected.append(
            {
                "k": self._identifier.identify(plain).k,
                "url": plain[: self._config.db.max_outlink_length],
                "attempt": row["attempt"],
                "step": "parse",
                "rule": rule,
                "detail": detail,
                "from_url": row["url"],
                "time": now,
            }
        )


def kept_outlinks(judged: Judged) -> Iterator[dict[str, Any]]:
    """The kept links that Nutch calls outlinks: all but refresh and canonical."""
    further = (LinkKind.REFRESH, LinkKind.CANONICAL)
    return (link for link in judged.kept if link["kind"] not in further)
