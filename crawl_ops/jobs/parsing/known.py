"""What is known of linked URLs: verdicts are remembered, since pages share their links."""

from collections.abc import Iterable, Sequence
from itertools import compress, islice
from typing import NamedTuple, TypeAlias

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.model import Verdict
from crawl_ops.storage.link_batches import LinkTarget
from crawl_ops.storage.texts import fitting
from crawl_ops.urls.chain import UrlChain
from crawl_ops.urls.identity import UrlIdentifier
from crawl_ops.urls.plain import FORM, Plain

REMEMBERED = 200_000
REMEMBERED_CHARACTERS = 40_000_000
FEW = 150
"""New URLs for which it does not pay to look at all at once."""
MANY = 20_000
LONG = 1_000
Refusal: TypeAlias = tuple[str, str | None]  # the rule, and the line of it or a detail


class Known(NamedTuple):
    """A URL as judged once for all pages: the target that it is, or why it is refused.

    url and k are of the normalized URL also where it is refused, so that it can be asked for.
    """

    url: str
    k: int
    target: LinkTarget | None
    refusal: Refusal | None = None


class KnownUrls:
    """Normalizes, filters and identifies URLs, as linked and as what stands for a page."""

    def __init__(self, config: CrawlConfig, identifier: UrlIdentifier) -> None:
        parse = config.parse
        self._identifier = identifier
        self._outlink = UrlChain(
            config, "outlink", normalize=parse.normalize_urls, filter=parse.filter_urls
        )
        self._fetcher = UrlChain(config, "fetcher")
        self.filters = self._outlink.filters if parse.filter_urls else ""
        self._plain = self._outlink.plain_normalizers(), self._outlink.plain_filters()
        self.sees_many = None not in self._plain
        """Whether `look_all` does something: not with a plug of somebody's own."""
        self._known: dict[str, Known] = {}
        self._held = 0  # characters of the URLs known

    def look(self, url: str) -> Known:
        """What is known of a link's URL."""
        found = self._known.get(url)
        if found is None:
            page = self._outlink.without_fragment(url) if "#" in url else url
            found = self._known.get(page) or self._judged_by(self._outlink, page)
            if found.target is None and page != url:  # of what is malformed the whole URL is told
                found = self._judged_by(self._outlink, url)
            self._remember(url, page, found)
        return found

    def look_all(self, urls: Iterable[str]) -> None:
        """Get to know of many links those at once that plainly are in normal form.

        What they come to is what `look` makes of them.
        """
        normal, accepted = self._plain
        if normal is None or accepted is None:
            return
        known = self._known
        could = (url for url in urls if url not in known and len(url) <= LONG and url.isascii())
        new = list(islice(could, MANY))
        if len(new) < FEW:
            return
        pages = [self._outlink.without_fragment(url) if "#" in url else url for url in new]
        fit = _plainly(normal, pages)
        new, pages = list(compress(new, fit)), list(compress(pages, fit))
        fit = _plainly(accepted, pages)
        found = self._identifier.identify_all(pages)
        for url, page, plain, k, slot, host, domain in zip(new, pages, fit, *found, strict=True):
            judged = known.get(page)
            if judged is None:
                refusal = None if plain else self._refusal(self._outlink.filtered(page))
                target = None if refusal else LinkTarget(k, slot, page, host, domain)
                judged = Known(page, k, target, refusal)
            if judged.target is not None or page == url:
                self._remember(url, page, judged)

    def normalized(self, url: str) -> Known:
        """A link's URL that no filter is asked about."""
        plain = self._outlink.normalize(url) or url
        return Known(plain, self._identifier.identify(plain).k, None)

    def standing_for_page(self, url: str) -> Known:
        """What a refresh or canonical target comes to (scope fetcher); it is not remembered."""
        return self._judged_by(self._fetcher, url)

    def _judged_by(self, chain: UrlChain, url: str) -> Known:
        verdict = chain.judge(url)
        if verdict.url is not None:
            to = self._identifier.identify(verdict.url)
            target = LinkTarget(to.k, to.slot, verdict.url, to.host, to.domain)
            return Known(verdict.url, to.k, target)
        plain = verdict.normalized or url
        return Known(plain, self._identifier.identify(plain).k, None, self._refusal(verdict))

    @staticmethod
    def _refusal(verdict: Verdict) -> Refusal | None:
        if verdict.url is not None:
            return None
        return f"urlfilter.{verdict.rejected_by}", verdict.rule

    def _remember(self, url: str, page: str, found: Known) -> None:
        self._held += len(url)
        if len(self._known) >= REMEMBERED or self._held >= REMEMBERED_CHARACTERS:
            self._known.clear()
            self._held = 0
        self._known[url] = found
        if found.target is not None:
            self._known[page] = found


def _plainly(plain: Plain, urls: Sequence[str]) -> Sequence[bool]:
    """Of each URL whether it is of FORM, and a plug has plainly nothing to do with it."""
    found: Sequence[bool] = fitting(urls, FORM, plain.must, plain.unless)
    for asked in plain.asks:
        found = [yes and not asked(url) for url, yes in zip(urls, found, strict=True)]
    return found
