"""dedup: of several pages with one signature, one stays."""

import itertools
import json
import logging
import time
import uuid
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.errors import ConfigError, CrawlError
from crawl_ops.index.writers import IndexWriters, check
from crawl_ops.model import JobReport
from crawl_ops.storage.crawl_dir import CrawlDir
from crawl_ops.storage.manifest import OPERATIONS_KEPT, Manifest
from crawl_ops.storage.merged import Overlay
from crawl_ops.storage.rewrite import rewrite
from crawl_ops.storage.session import Session
from crawl_ops.storage.table import Commit

log = logging.getLogger(__name__)

CRITERIA = ("score", "fetchTime", "urlLength", "httpsOverHttp")
NEEDED = CRITERIA[:3]
CLEANED = "index/dedup.json"
Query = tuple[str, Mapping[str, Any]]
PAGES_COMPARED = 500_000  # at once
URLS_COUNTED = 30_000_000  # of so many URLs the signatures are counted at once
BATCH_ROWS = 10_000
BATCHES_A_COMMIT = 10  # deletes not committed are held in memory


def dedup(crawl: CrawlDir, config: CrawlConfig, now: datetime) -> JobReport:
    """Mark pages db_duplicate of a preferred one, and take them out of the index.

    Nutch rules 15 (criteria in the order of deduplication.compare.order, then the URL), except
    that a tie is always decided, that a page gives way to the page of its group that it names as
    canonical, that a noindex page is no candidate, and that the index follows at once.
    Raises CommitConflictError or IndexingError (both retryable) if another job is in the way.
    """
    started = time.monotonic()
    order = compare_order(config)
    check(config, crawl.index_location)
    table = crawl.table("crawldb")
    with crawl.session(config) as session:
        with table.writing():
            before = table.current()
            losers = _losers(crawl, config, session, before, order)
            after = before
            if losers:
                commit = table.begin("dedup", f"dedup:{uuid.uuid4().hex}", config, now)
                after = _mark(session, commit, losers)
        deleted = _leave_index(crawl, config, session, before, after)
    counts = {"db_duplicate": losers, **deleted}
    report = JobReport("dedup", None, counts, time.monotonic() - started)
    log.info("dedup: %s in %.1f s", report.counts, report.seconds)
    return report


def compare_order(config: CrawlConfig) -> Sequence[str]:
    """The criteria in order. Raises ConfigError for an unknown or a missing one."""
    order = config.deduplication.compare_order
    name = "deduplication.compare.order"
    for criterion in order:
        if criterion not in CRITERIA:
            raise ConfigError(
                f"{name}: unknown criterion {criterion!r}; there are {', '.join(CRITERIA)}"
            )
    if missing := [criterion for criterion in NEEDED if criterion not in order]:
        raise ConfigError(f"{name}: {missing[0]} is missing")
    if double := [c for c, n in Counter(order).items() if n > 1]:
        raise ConfigError(f"{name}: {double[0]} is there twice")
    return order


def _losers(
    crawl: CrawlDir,
    config: CrawlConfig,
    session: Session,
    manifest: Manifest,
    order: Sequence[str],
) -> int:
    """`losers`: key, slot and winner of every page that is to be marked."""
    session.bind_table("crawldb", manifest)
    session.drop("signatures")
    for first, last in _ranges(1 + manifest.rows // URLS_COUNTED):
        session.append("signatures", "dedup_signatures", first=first, last=last)
    session.bind_spooled("candidates", _candidates(session, config, manifest))
    session.drop("signatures")
    places = {f"p_{criterion.lower()}": order.index(criterion) for criterion in NEEDED}
    https = order.index("httpsOverHttp") if "httpsOverHttp" in order else -1

    def some_signatures_at_a_time() -> Iterator[Query]:
        parts = 1 + session.count("candidates") // PAGES_COMPARED
        for first, last in _ranges(parts):
            session.create("pages", "dedup_pages", first=first, last=last)
            _describe(crawl, session, manifest)
            yield "dedup_losers", {"p_https": https, **places}

    session.bind_spooled("losers", some_signatures_at_a_time())
    return session.count("losers")


def _candidates(session: Session, config: CrawlConfig, manifest: Manifest) -> Iterator[Query]:
    for bucket in manifest.buckets():
        session.bind_bucket("crawldb", "crawldb", bucket)
        yield "dedup_candidates", {"group_mode": config.deduplication.group_mode}


def _ranges(parts: int) -> list[tuple[int, int]]:
    """All whole numbers of 64 bits in so many ranges."""
    bounds = [(2**64 * number) // parts for number in range(parts + 1)]
    return [(lo, hi - 1) for lo, hi in itertools.pairwise(bounds)]


def _describe(crawl: CrawlDir, session: Session, manifest: Manifest) -> None:
    """`described`: what pages with a duplicate name as their canonical URL, and their noindex.

    It is in the segment that decided the page's status, or, if that only said that the page has
    not changed, in an older one.
    """
    there = set(crawl.segments())
    merged = crawl.stood_for()
    session.create("described", "dedup_first")
    deciding = [row["segment"] for row in session.rows("dedup_segments")]
    older = sorted(manifest.segments, reverse=True)
    for number, name in enumerate((*deciding, *older)):
        again = number >= len(deciding)
        # The crawldb names what decided; a merged segment holds it for its sources.
        holder = name if again else merged.get(name, name)
        if holder not in there:
            continue
        if again and not session.rows("dedup_open")[0]["n"]:
            break
        session.bind_part(crawl.segment(holder), "parse_data")
        session.append("described", "dedup_described", segment=name, older=again)


def _mark(session: Session, commit: Commit, losers: int) -> Manifest:
    commit.filters = commit.parent.filters
    try:
        for bucket in commit.buckets(_slots(session)):
            session.bind_bucket("crawldb", "crawldb", bucket)
            changed = session.create("changed", "dedup", lo=bucket.lo, hi=bucket.hi)
            overlay = Overlay(added="", rows_added=0, changed="changed" if changed else None)
            rewrite(session, commit, bucket, overlay)
    except CrawlError:
        commit.abandon()
        raise
    return commit.publish(JobReport("dedup", None, {"db_duplicate": losers}))


def _slots(session: Session) -> list[tuple[int, int]]:
    return [(row["slot"], row["slot"]) for row in session.rows("dedup_slots")]


def _leave_index(
    crawl: CrawlDir, config: CrawlConfig, session: Session, before: Manifest, after: Manifest
) -> dict[str, int]:
    """Delete the new duplicates from the index, or all that there are if some may be left in it.

    Some may be left by a dedup that was killed after its commit, or come back by an index job
    that does not delete (indexer.delete).
    """
    query = "dedup_new"
    if not config.indexer.delete or _may_be_left(crawl, before):
        query = "dedup_duplicates"
        session.bind_table("crawldb", after)
    deleted = {"deleted": 0}
    session.bind_spooled("leaving", [(query, {})])
    if asked := session.count("leaving"):
        with IndexWriters(config, crawl.index_location) as writers:
            documents = writers.documents()
            for number, batch in enumerate(session.batches("dedup_leaving", BATCH_ROWS), 1):
                for row in batch:
                    writers.delete(row["url"])
                if number % BATCHES_A_COMMIT == 0:
                    writers.commit()
            writers.commit()
            deleted = writers.deleted_since(documents, asked)
    crawl.files.put(CLEANED, json.dumps({"crawldb_version": after.version}).encode())
    return deleted


def _may_be_left(crawl: CrawlDir, before: Manifest) -> bool:
    """Whether a dedup before this one may not have come to the index."""
    versions = [n for name, n in before.operations.items() if name.startswith("dedup:")]
    if not crawl.files.exists(CLEANED) or len(before.operations) >= OPERATIONS_KEPT:
        return True
    cleaned: int = json.loads(crawl.files.read(CLEANED))["crawldb_version"]
    return max(versions, default=0) > cleaned
