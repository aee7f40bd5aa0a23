"""Which outlinks of a page are kept, and the share of its score each gets (Nutch rules 9, 12)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.jobs.parsing.content import ContentRow
from crawl_ops.jobs.parsing.known import Known, KnownUrls, Refusal
from crawl_ops.model import LinkKind
from crawl_ops.parse.answer import Answer, Links
from crawl_ops.storage.link_batches import LinkBatches, LinkColumns, LinkSource
from crawl_ops.urls.identity import UrlIdentifier, UrlIdentity
from crawl_ops.urls.linkscope import LinkScope

MOST_REJECTED_KEPT = 1000
SELF = "link to itself"
FURTHER = -1  # the position of a refresh or canonical target, which is no link of the page
SHARING = (LinkKind.LINK, LinkKind.FEED)
REJECTED = ("k", "url", "attempt", "step", "rule", "detail", "from_url", "time")


@dataclass(slots=True)
class Judged:
    """What the links of one page come to, beside those kept."""

    outlinks: int = 0  # what Nutch calls so: all kept but refresh and canonical
    refresh_url: str | None = None
    canonical_url: str | None = None
    rejected: list[tuple[Any, ...]] = field(default_factory=list)
    """Rows of `rejected`: the columns REJECTED."""
    counts: dict[str, int] = field(default_factory=dict)
    """Links that are not kept, by rule."""


class OutlinkJudge:
    """Normalizes, filters and limits outlinks, page by page."""

    def __init__(self, config: CrawlConfig, identifier: UrlIdentifier) -> None:
        self._config = config
        self._identifier = identifier
        self._urls = KnownUrls(config, identifier)
        self.filters = self._urls.filters
        self._scope = LinkScope(config)
        self._has_scope = config.db.ignore_internal_links or config.db.ignore_external_links
        self._strict = config.sitemap.strict_parsing
        self._by_depth = "depth" in config.scoring.filter_order
        self._by_opic = "opic" in config.scoring.filter_order

    def prepare(self, answers: Iterable[Answer]) -> None:
        """Look at the links of many pages at once, which takes less than page by page."""
        limit = self._config.db.max_outlink_length
        urls: set[str] = set().union(*(answer.links.urls for answer in answers))
        self._urls.look_all(url for url in urls if len(url) <= limit)

    def judge(self, row: ContentRow, answer: Answer, now: datetime, into: LinkBatches) -> Judged:
        """The links of the page whose content row is `row`; those kept are put into `into`."""
        page = self._identifier.identify(row.url)
        judged = Judged()
        of, kept = self._kept(judged, row, page, answer.links, now, into)
        columns = self._columns(row, page, answer, of, kept, now)
        judged.outlinks = len(kept)
        self._further(judged, row, page, answer, now, columns, into)
        source = LinkSource(page.k, row.url, page.host, row.attempt, row.max_depth)
        into.add(source, columns)
        return judged

    def _kept(
        self,
        judged: Judged,
        row: ContentRow,
        page: UrlIdentity,
        links: Links,
        now: datetime,
        into: LinkBatches,
    ) -> tuple[list[int | None], Sequence[int]]:
        """The numbers of all targets, and the positions of the links that are kept."""
        urls, limit = links.urls, self._config.db.max_outlinks_per_page
        longest = self._config.db.max_outlink_length
        too_deep = self._too_deep(row)
        of = list(map(into.numbers.get, urls))  # those with a number are neither long nor refused
        is_plain = links.kinds is None and not self._has_scope and too_deep is None
        if is_plain and None not in of and not 0 <= limit < len(of) and row.url not in urls:
            return of, range(len(of))
        kept: list[int] = []
        capped = 0
        for position, (url, number) in enumerate(zip(urls, of, strict=True)):
            kind = links.kind(position)
            is_link = kind is LinkKind.LINK
            found: Known | None = None
            refusal: Refusal | None = None
            if number is None and len(url) > longest:  # before all else: what is looked up is kept
                found, refusal = self._urls.normalized(url), ("db.max.outlink.length", None)
            elif is_link and 0 <= limit <= capped:
                refusal = "db.max.outlinks.per.page", str(limit)
            elif url == row.url:
                judged.counts[SELF] = judged.counts.get(SELF, 0) + 1
                continue
            elif number is None or not is_plain:
                found = self._urls.look(url)
                refusal = found.refusal or self._unwanted(page, kind, found)
                if refusal is None and kind is not LinkKind.CANONICAL:
                    refusal = too_deep
                if refusal is None and number is None and found.target is not None:
                    of[position] = into.numbers[url] = into.number(found.target)
            if refusal is None:
                kept.append(position)
                capped += is_link
            else:
                self._reject(judged, row, found or self._urls.look(url), refusal, now)
        return of, kept

    def _unwanted(self, page: UrlIdentity, kind: LinkKind, found: Known) -> Refusal | None:
        to = found.target
        if to is None:
            return None
        if self._has_scope and (scope := self._scope.rejects(page, to, found.url)):
            return _refusal(scope)
        if kind is LinkKind.SITEMAP and self._strict and to.host != page.host:
            return "sitemap.strict.parsing", "another host"
        return None

    def _too_deep(self, row: ContentRow) -> Refusal | None:
        """Nutch's scoring-depth: links of pages without depth, or at their limit, do not count."""
        if not self._by_depth:
            return None
        rule = "scoring.depth.max"
        if row.depth is None:
            return rule, "the page has no depth"
        most = row.max_depth or self._config.scoring.depth_max
        return (rule, f"depth {row.depth} of {most}") if row.depth >= most else None

    def _columns(
        self,
        row: ContentRow,
        page: UrlIdentity,
        answer: Answer,
        of: list[int | None],
        kept: Sequence[int],
        now: datetime,
    ) -> LinkColumns:
        links, number = answer.links, len(kept)
        depth = None if row.depth is None else row.depth + 1
        columns = LinkColumns(
            _at(of, kept),
            [LinkKind.LINK] * number if links.kinds is None else _at(links.kinds, kept),
            list(kept),
            _at(links.anchors, kept),
            _at(links.rels, kept),
            self._scores(row, page, answer, kept),
            [depth] * number,
            [None] * number,
            [None] * number,
        )
        if links.kinds is not None:
            canonical = LinkKind.CANONICAL
            columns.depth = [row.depth if kind is canonical else depth for kind in columns.kind]
        if links.intervals_s is not None:
            most = self._config.db.fetch_interval_max
            intervals = _at(links.intervals_s, kept)
            columns.interval_s = [None if one is None else min(one, most) for one in intervals]
        if links.modified_times is not None:
            times = _at(links.modified_times, kept)
            columns.modified_time = [None if one is None or one > now else one for one in times]
        return columns

    def _scores(
        self, row: ContentRow, page: UrlIdentity, answer: Answer, kept: Sequence[int]
    ) -> list[float]:
        links = answer.links
        inside, outside = self._shares(row, answer, kept)
        if links.kinds is None and inside == outside:
            return [inside] * len(kept)
        priorities = links.priorities or [None] * len(links.urls)
        scores = []
        for position in kept:
            if links.kind(position) not in SHARING:
                scores.append(priorities[position] or 0.0)
            elif inside == outside:
                scores.append(inside)
            else:
                to = self._urls.look(links.urls[position]).target
                scores.append(inside if to is not None and to.host == page.host else outside)
        return scores

    def _shares(self, row: ContentRow, answer: Answer, kept: Sequence[int]) -> tuple[float, float]:
        """OPIC: the share of each kept outlink inside the host, and outside (Nutch rule 12)."""
        db, kinds = self._config.db, answer.links.kinds
        if db.score_count_filtered:
            number = answer.parsed.outlinks_found
        else:
            number = len(kept) if kinds is None else sum(kinds[at] in SHARING for at in kept)
        if not number or not self._by_opic:
            return 0.0, 0.0
        share = row.score / number
        return share * db.score_link_internal, share * db.score_link_external

    def _further(
        self,
        judged: Judged,
        row: ContentRow,
        page: UrlIdentity,
        answer: Answer,
        now: datetime,
        columns: LinkColumns,
        into: LinkBatches,
    ) -> None:
        """The targets of a meta refresh and of rel=canonical (scope fetcher).

        They stand for the page, so they are at its depth. A canonical of the head is an outlink
        too, and has its row already; one of a Link header is not.
        """
        parsed, kinds = answer.parsed, answer.links.kinds or ()
        for kind, url in (
            (LinkKind.REFRESH, parsed.refresh_url),
            (LinkKind.CANONICAL, parsed.canonical_url),
        ):
            if not url:
                continue
            if url == row.url:  # as most pages name themselves: the crawl knows it already
                judged.canonical_url = url if kind is LinkKind.CANONICAL else judged.canonical_url
                continue
            found = self._urls.standing_for_page(url)
            refusal = found.refusal
            if refusal is None and found.url != row.url:
                refusal = self._not_for(page, found)
            if refusal is not None:
                if kind not in kinds:
                    self._reject(judged, row, found, refusal, now)
                continue
            if kind is LinkKind.CANONICAL:
                judged.canonical_url = found.url
            elif found.url != row.url:
                judged.refresh_url = found.url
            if found.url != row.url and not self._has_row(columns, answer.links, kind, found):
                self._stand_in(columns, row, kind, found, into)

    def _not_for(self, page: UrlIdentity, found: Known) -> Refusal | None:
        if found.target is None or not self._has_scope:
            return None
        scope = self._scope.rejects_redirect(page, found.target, found.url)
        return _refusal(scope) if scope else None

    def _has_row(self, columns: LinkColumns, links: Links, kind: LinkKind, found: Known) -> bool:
        return any(
            one is kind and self._urls.look(links.urls[position]).k == found.k
            for one, position in zip(columns.kind, columns.position, strict=True)
            if position >= 0
        )

    def _stand_in(
        self,
        columns: LinkColumns,
        row: ContentRow,
        kind: LinkKind,
        found: Known,
        into: LinkBatches,
    ) -> None:
        """A row for another page that stands for this one."""
        if found.target is not None:
            number = into.number(found.target)
            columns.extend(
                LinkColumns(
                    [number], [kind], [FURTHER], [None], [None], [0.0], [row.depth], [None], [None]
                )
            )

    def _reject(
        self, judged: Judged, row: ContentRow, found: Known, refusal: Refusal, now: datetime
    ) -> None:
        rule, detail = refusal
        judged.counts[rule] = judged.counts.get(rule, 0) + 1
        if self._config.parse.store_rejected and len(judged.rejected) < MOST_REJECTED_KEPT:
            url = found.url[: self._config.db.max_outlink_length]
            judged.rejected.append((found.k, url, row.attempt, "parse", rule, detail, row.url, now))


def _at(column: Sequence[Any], kept: Sequence[int]) -> list[Any]:
    """The values of a column at the positions that are kept."""
    if len(kept) == len(column):
        return list(column)
    return [column[position] for position in kept]


def _refusal(text: str) -> Refusal:
    rule, _, detail = text.partition(": ")
    return rule, detail or None
