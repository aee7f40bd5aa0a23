"""Selecting due URLs: marks, rules, limits, filters; or again what failed."""

from collections import Counter

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.errors import NotFoundError
from crawl_ops.jobs.generating.again import count_again, count_led_to
from crawl_ops.jobs.generating.best import Best, limit
from crawl_ops.jobs.generating.wish import Wish
from crawl_ops.storage.crawl_dir import CrawlDir
from crawl_ops.storage.manifest import Manifest
from crawl_ops.storage.runs import Claim
from crawl_ops.storage.session import Session


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
        _best(session, config, manifest, taken, wish, counts)
        return counts
    session.bind_rows("refused", "rejected", [])
    session.create("selected", "generate_none")
    if count_led_to(session, crawl, config, manifest, taken):
        _bind_marks(session, crawl, taken)
        _best(session, config, manifest, taken, wish, counts)
    counts["again"] = count_again(session, crawl, manifest, taken)
    session.append("selected", "generate_again")
    return counts


def _bind_marks(session: Session, crawl: CrawlDir, taken: Claim) -> None:
    """`marked`: the URLs of open segments."""
    session.append_columns("marked", "crawl_generate", ("k",), ())
    for name in taken.open_segments:
        try:
            session.bind_part(crawl.segment(name), "crawl_generate")
        except NotFoundError:  # gone since; it marks nothing
            continue
        session.append("marked", "generate_marked")


def _best(
    session: Session,
    config: CrawlConfig,
    manifest: Manifest,
    taken: Claim,
    wish: Wish,
    counts: Counter[str],
) -> None:
    selection = Best(session, config, manifest, taken, limit(wish.topn), counts)
    selection.select()
