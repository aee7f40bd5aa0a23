"""Seed lines as columns of the crawldb."""

import logging
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.errors import SeedError
from crawl_ops.jobs.injecting.fields import Fields
from crawl_ops.jobs.injecting.lines import Block
from crawl_ops.model import Verdict
from crawl_ops.storage.session import Session
from crawl_ops.storage.texts import fitting
from crawl_ops.urls.chain import UrlChain
from crawl_ops.urls.identity import UrlIdentifier
from crawl_ops.urls.plain import FORM

log = logging.getLogger("crawl_ops.jobs.inject")

REFUSED_TOLD = 10
FIELDS = ("interval_s", "score", "max_depth", "metadata")
COLUMNS = ("k", "slot", "host", "domain", "url", *FIELDS)
MANY = 2000  # lines of a block from which looking at all of them at once pays


def fill_seeds(
    session: Session,
    blocks: Iterable[Block],
    config: CrawlConfig,
    identifier: UrlIdentifier,
    chain: UrlChain,
) -> Counter[str]:
    """Let `lines` stand for the rows of seed lines, in their order; returns counts.

    Raises SeedError naming file and line if a line is no URL.
    """
    judge = _Judge(chain)
    default = (config.db.fetch_interval_default, config.db.score_injected, None, None)
    fields = Fields(dict(zip(FIELDS, default, strict=True)))
    taken = 0
    spool = session.spool("crawldb", COLUMNS)
    for block in blocks:
        cut = [text.partition("\t") for text in block.texts]
        urls = judge.urls(block, [given.strip() for given, _, _ in cut])
        kept = [url for url in urls if url is not None]
        said = [
            fields.said(rest, block, at) if rest else default
            for at, (url, (_, _, rest)) in enumerate(zip(urls, cut, strict=True))
            if url is not None
        ]
        taken += len(kept)
        columns = {name: [row[at] for row in said] for at, name in enumerate(FIELDS)}
        spool.append({**identifier.identify_all(kept)._asdict(), "url": kept, **columns})
    session.bind_spool("lines", spool)
    return Counter(seeds=taken + judge.refused.total(), **judge.refused)


class _Judge:
    """Asks the chain, but not about URLs that it plainly lets through as they are."""

    def __init__(self, chain: UrlChain) -> None:
        self.refused: Counter[str] = Counter()
        self._judge = chain.judge
        self._plain = chain.plain()

    def urls(self, block: Block, given: Sequence[str]) -> list[str | None]:
        """What the crawl knows the URLs of a block as; None for those refused, which are counted.

        Raises SeedError for the first that is no URL.
        """
        return [
            url if plain else self._asked(block, at, url)
            for at, (url, plain) in enumerate(zip(given, self._plainly(given), strict=True))
        ]

    def _plainly(self, urls: Sequence[str]) -> Sequence[Any]:
        plain = self._plain
        if plain is None or len(urls) < MANY:
            return [False] * len(urls)
        found = fitting(urls, FORM, plain.must, plain.unless)
        for asked in plain.asks:
            found = [yes and not asked(url) for url, yes in zip(urls, found, strict=True)]
        return found

    def _asked(self, block: Block, at: int, given: str) -> str | None:
        verdict = self._judge(given)
        if verdict.url is None:
            if verdict.rejected_by == "malformed":
                raise SeedError(f"{block.where(at)}: {given[:200]!r} is no URL")
            self.refused[f"rejected.{verdict.rejected_by}"] += 1
            self._tell(block.where(at), given, verdict)
        return verdict.url

    def _tell(self, where: str, given: str, verdict: Verdict) -> None:
        """Seeds that are refused leave no row: the log is where the first of them can be read."""
        told = self.refused.total()
        if told <= REFUSED_TOLD:
            rule = ": ".join(filter(None, (f"urlfilter.{verdict.rejected_by}", verdict.rule)))
            log.warning("inject: %s: %r is refused by %s", where, given[:200], rule)
        elif told == REFUSED_TOLD + 1:
            log.warning("inject: more seeds are refused; not told any more")
