"""Seed lines as columns of the crawldb."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.errors import SeedError
from crawl_ops.jobs.injecting.fields import Fields
from crawl_ops.jobs.injecting.lines import Seed
from crawl_ops.storage.session import Session
from crawl_ops.urls.chain import UrlChain
from crawl_ops.urls.identity import UrlIdentifier

BATCH = 50_000
FIELDS = ("interval_s", "score", "max_depth", "metadata")
COLUMNS = ("k", "slot", "host", "domain", "url", *FIELDS)


def fill_seeds(
    session: Session,
    seeds: Iterable[Seed],
    config: CrawlConfig,
    identifier: UrlIdentifier,
    chain: UrlChain,
) -> Counter[str]:
    """Make the temporary table `seeds` of seed lines, in their order; returns counts.

    Raises SeedError naming file and line if a line is no URL.
    """
    judge = chain.judge
    identify = identifier.identify
    plain = (config.db.fetch_interval_default, config.db.score_injected, None, None)
    fields = Fields()
    refused: Counter[str] = Counter()
    taken = 0
    batch: list[tuple[Any, ...]] = []
    session.append_columns("seeds", "crawldb", COLUMNS, ())
    for seed in seeds:
        given, _, rest = seed.text.partition("\t")
        verdict = judge(given.strip())
        url = verdict.url
        if url is None:
            if verdict.rejected_by == "malformed":
                raise SeedError(f"{seed.where}: {given.strip()[:200]!r} is no URL")
            refused[f"rejected.{verdict.rejected_by}"] += 1
            continue
        said = _said(fields, rest, seed.where, plain) if rest else plain
        batch.append((*identify(url), url, *said))
        if len(batch) >= BATCH:
            taken += len(batch)
            session.append_columns("seeds", "crawldb", COLUMNS, batch)
            batch.clear()
    session.append_columns("seeds", "crawldb", COLUMNS, batch)
    return Counter(seeds=taken + len(batch) + refused.total(), **refused)


def _said(fields: Fields, rest: str, where: str, plain: tuple[Any, ...]) -> tuple[Any, ...]:
    """The FIELDS of a seed: what its line says, or the default."""
    row = dict(zip(FIELDS, plain, strict=True))
    fields.apply(row, rest, where)
    return tuple(row.values())
