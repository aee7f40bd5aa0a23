"""Selecting due URLs: marks, rules, limits, filters; or again what failed."""

import itertools
from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.errors import NotFoundError
from crawl_ops.jobs.generating.again import count_again, count_led_to
from crawl_ops.jobs.generating.wish import Wish
from crawl_ops.storage.crawl_dir import CrawlDir
from crawl_ops.storage.manifest import Bucket, Manifest
from crawl_ops.storage.runs import Claim
from crawl_ops.storage.session import Session
from crawl_ops.urls.chain import UrlChain

FILTER_ROUNDS = 4
NO_LIMIT = 2**62


def bind_selected(
    session: Session,
    crawl: CrawlDir,
    config: CrawlConfig,
    manifest: Manifest,
    taken: Claim,
    wish: Wish,
) -> Counter[str]:
    """Make `selected` and `refused`: the URLs to fetch, those that filters refuse now. Counts."""
    counts = Counter[str]()
    if taken.of_segment is None and taken.following is None:
        _bind_marks(session, crawl, taken)
        _select(session, config, manifest.buckets(), taken, wish, counts)
        return counts
    session.bind_rows("refused", "rejected", [])
    session.bind_rows("candidates", "crawl_generate", [])
    session.create("selected", "generate_none")
    if count_led_to(session, crawl, manifest, taken):
        _bind_marks(session, crawl, taken)
        _select(session, config, manifest.buckets(), taken, wish, counts)
    counts["again"] = count_again(session, crawl, manifest, taken)
    session.append("selected", "generate_again")
    return counts


def _bind_marks(session: Session, crawl: CrawlDir, taken: Claim) -> None:
    """`marked`: the URLs of open segments."""
    session.bind_rows("marked", "crawl_generate", [])
    for name in taken.open_segments:
        try:
            session.bind_part(crawl.segment(name), "crawl_generate")
        except NotFoundError:  # gone since; it marks nothing
            continue
        session.append("marked", "generate_marked")


def _select(
    session: Session,
    config: CrawlConfig,
    buckets: Sequence[Bucket],
    taken: Claim,
    wish: Wish,
    counts: Counter[str],
) -> None:
    """`selected`: key, slot, host and sort value of the URLs to fetch, filters obeyed."""
    chain = UrlChain(config, "default", normalize=False) if config.generate.filter else None
    session.bind_rows("refused", "rejected", [])
    for number in itertools.count():
        counts.clear()
        session.drop("candidates")
        for bucket in buckets:
            _candidates(session, config, bucket, taken, counts)
        selected = session.create("selected", "generate_select", topn=_limit(wish.topn))
        counts["selected"] = selected
        counts["topN"] = counts["candidates"] - selected
        # Rules that changed much refuse much: then all candidates are asked, once.
        asked = "generate_selected_urls" if number < FILTER_ROUNDS else "generate_candidate_urls"
        refused = _refused(session, chain, taken, asked) if chain else []
        if not refused:
            break
        session.append_rows("refused", "rejected", refused)


def _candidates(
    session: Session,
    config: CrawlConfig,
    bucket: Bucket,
    taken: Claim,
    counts: Counter[str],
) -> None:
    session.bind_bucket("crawldb", "crawldb", bucket)
    depth_scoring = "depth" in config.scoring.filter_order
    session.create(
        "judged",
        "generate_judge",
        cur_time=datetime.fromisoformat(taken.cur_time),
        interval_max=config.db.fetch_interval_max,
        min_score=config.generate.min_score,
        min_interval=config.generate.min_interval,
        restrict_status=config.generate.restrict_status,
        depth_scoring=depth_scoring,
        depth_max=config.scoring.depth_max,
        max_count=_limit(config.generate.max_count),
        by_domain=config.generate.count_mode == "domain",
    )
    for row in session.rows("generate_counts"):
        counts[row["outcome"]] += row["n"]
    of = "_led_to" if taken.following else ""
    session.append("candidates", f"generate_candidates{of}")
    session.drop("judged")


def _limit(value: int) -> int:
    return NO_LIMIT if value < 0 else value


def _refused(session: Session, chain: UrlChain, taken: Claim, asked: str) -> list[dict[str, Any]]:
    """Selected URLs that the filters refuse now (they were let in under other rules)."""
    found = []
    for batch in session.batches(asked):
        for row in batch:
            verdict = chain.judge(row["url"])
            if verdict.url is None:
                found.append(
                    {
                        "k": row["k"],
                        "url": row["url"],
                        "attempt": "",
                        "step": "generate",
                        "rule": f"urlfilter.{verdict.rejected_by}",
                        "detail": verdict.rule,
                        "time": datetime.fromisoformat(taken.now),
                    }
                )
    return found
