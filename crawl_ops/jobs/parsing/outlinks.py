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
REJECTED = ("k", "url", "attempt", "rule", "detail", "from_url")


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


@dataclass(slots=True)
class _Case:
    """A page whose links are judged, and where to."""

    row: ContentRow
    page: UrlIdentity
    answer: Answer
    now: datetime
    into: LinkBatches
    judged: Judged
    too_deep: Refusal | None


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
        if not self._urls.sees_many:
            return
        limit = self._config.db.max_outlink_length
        urls: set[str] = set().union(*(answer.links.urls for answer in answers))
        self._urls.look_all(url for url in urls if len(url) <= limit)

    def judge(self, row: ContentRow, answer: Answer, now: datetime, into: LinkBatches) -> Judged:
        """The links of the page whose content row is `row`; those kept are put into `into`."""
        page = self._identifier.identify(row.url)
        case = _Case(row, page, answer, now, into, Judged(), self._too_deep(row))
        of = list(map(into.numbers.get, answer.links.urls))
        kept = self._kept(case, of)
        columns = self._columns(case, of, kept)
        case.judged.outlinks = len(kept)
        self._further(case, columns)
        source = LinkSource(page.k, row.url, page.host, row.attempt, row.max_depth)
        into.add(source, columns)
        return case.judged

    def _kept(self, case: _Case, of: list[int | None]) -> Sequence[int]:
        """The positions of the links that are kept.

        of: the numbers of their targets: those that have one are neither too long nor refused by
        the chain. Others get theirs.
        """
        links, own, limit = case.answer.links, case.row.url, self._config.db.max_outlinks_per_page
        is_plain = not self._has_scope and case.too_deep is None
        kinds = links.kinds or [LinkKind.LINK] * len(of)
        is_all = is_plain and links.kinds is None and not 0 <= limit < len(of)
        if is_all and None not in of and own not in links.urls:
            return range(len(of))
        kept: list[int] = []
        capped = 0
        for position, (url, number, kind) in enumerate(zip(links.urls, of, kinds, strict=True)):
            is_link = kind is LinkKind.LINK
            if is_link and 0 <= limit <= capped and len(url) <= self._config.db.max_outlink_length:
                self._reject(case, self._urls.look(url), ("db.max.outlinks.per.page", str(limit)))
            elif number is not None and is_plain and is_link and url != own:
                kept.append(position)
                capped += 1
            elif self._wants(case, position, kind, of):
                kept.append(position)
                capped += is_link
        return kept

    def _wants(self, case: _Case, position: int, kind: LinkKind, of: list[int | None]) -> bool:
        """Whether a link is kept; if it is, its target has a number then. If not, it is counted."""
        url = case.answer.links.urls[position]
        refusal: Refusal | None
        if len(url) > self._config.db.max_outlink_length:  # before all: what is looked up is held
            found, refusal = self._urls.normalized(url), ("db.max.outlink.length", None)
        elif url == case.row.url:
            case.judged.counts[SELF] = case.judged.counts.get(SELF, 0) + 1
            return False
        else:
            found = self._urls.look(url)
            refusal = found.refusal or self._unwanted(case.page, kind, found)
            if refusal is None and kind is not LinkKind.CANONICAL:
                refusal = case.too_deep
            if refusal is None and of[position] is None and found.target is not None:
                of[position] = case.into.numbers[url] = case.into.number(found.target)
        if refusal is not None:
            self._reject(case, found, refusal)
        return refusal is None

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

    def _columns(self, case: _Case, of: Sequence[int | None], kept: Sequence[int]) -> LinkColumns:
        row, now = case.row, case.now
        links, number = case.answer.links, len(kept)
        depth = None if row.depth is None else row.depth + 1
        columns = LinkColumns(
            _at(of, kept),
            [LinkKind.LINK] * number if links.kinds is None else _at(links.kinds, kept),
            list(kept),
            _at(links.anchors, kept),
            _at(links.rels, kept),
            self._scores(case, kept),
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

    def _scores(self, case: _Case, kept: Sequence[int]) -> list[float]:
        links = case.answer.links
        inside, outside = self._shares(case, kept)
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
                scores.append(inside if to is not None and to.host == case.page.host else outside)
        return scores

    def _shares(self, case: _Case, kept: Sequence[int]) -> tuple[float, float]:
        """OPIC: the share of each kept outlink inside the host, and outside (Nutch rule 12)."""
        db, kinds = self._config.db, case.answer.links.kinds
        if db.score_count_filtered:
            number = case.answer.parsed.outlinks_found
        elif kinds is None:
            number = len(kept)
        else:
            sharing = _at(kinds, kept)
            number = sum(map(sharing.count, SHARING))
        if not number or not self._by_opic:
            return 0.0, 0.0
        share = case.row.score / number
        return share * db.score_link_internal, share * db.score_link_external

    def _further(self, case: _Case, columns: LinkColumns) -> None:
        """The targets of a meta refresh and of rel=canonical (scope fetcher).

        They stand for the page, so they are at its depth. A canonical of the head is an outlink
        too, and has its row already; one of a Link header is not.
        """
        row, judged, parsed = case.row, case.judged, case.answer.parsed
        kinds = case.answer.links.kinds or ()
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
                refusal = self._not_for(case.page, found)
            if refusal is not None:
                if kind not in kinds:
                    self._reject(case, found, refusal)
                continue
            if kind is LinkKind.CANONICAL:
                judged.canonical_url = found.url
            elif found.url != row.url:
                judged.refresh_url = found.url
            if found.url != row.url and not self._has_row(columns, case.answer.links, kind, found):
                self._stand_in(case, columns, kind, found)

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

    def _stand_in(self, case: _Case, columns: LinkColumns, kind: LinkKind, found: Known) -> None:
        """A row for another page that stands for this one."""
        if found.target is not None:
            columns.target.append(case.into.number(found.target))
            columns.kind.append(kind)
            columns.position.append(FURTHER)
            columns.score.append(0.0)
            columns.depth.append(case.row.depth)
            for column in (columns.anchor, columns.rel, columns.interval_s, columns.modified_time):
                column.append(None)

    def _reject(self, case: _Case, found: Known, refusal: Refusal) -> None:
        rule, detail = refusal
        judged, row = case.judged, case.row
        judged.counts[rule] = judged.counts.get(rule, 0) + 1
        if self._config.parse.store_rejected and len(judged.rejected) < MOST_REJECTED_KEPT:
            url = found.url[: self._config.db.max_outlink_length]
            judged.rejected.append((found.k, url, row.attempt, rule, detail, row.url))


def _at(column: Sequence[Any], kept: Sequence[int]) -> list[Any]:
    """The values of a column at the positions that are kept."""
    if len(kept) == len(column):
        return list(column)
    return [column[position] for position in kept]


def _refusal(text: str) -> Refusal:
    rule, _, detail = text.partition(": ")
    return rule, detail or None
