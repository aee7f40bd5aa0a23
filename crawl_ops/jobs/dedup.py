"""dedup: of several pages with one signature, one stays."""

import logging
import time
import uuid
from collections import Counter
from collections.abc import Sequence
from datetime import datetime

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.errors import ConfigError
from crawl_ops.index.writers import IndexWriters
from crawl_ops.model import JobReport
from crawl_ops.storage.crawl_dir import CrawlDir
from crawl_ops.storage.session import Session

log = logging.getLogger(__name__)

CRITERIA = ("score", "fetchTime", "urlLength", "httpsOverHttp")
NEEDED = CRITERIA[:3]


def dedup(crawl: CrawlDir, config: CrawlConfig, now: datetime) -> JobReport:
    """Mark pages db_duplicate of a preferred one, and take them out of the index.

    Nutch rules 15 (criteria in the order of deduplication.compare.order, then the URL), except
    that a tie is always decided and the index follows at once.
    """
    started = time.monotonic()
    order = compare_order(config)
    table = crawl.table("crawldb")
    with crawl.session(config) as session:
        with table.writing():
            manifest = table.current()
            session.bind("crawldb", "crawldb", [entry.path for entry in manifest.files])
            losers = _losers(session, config, order)
            if losers:
                commit = table.begin("dedup", f"dedup:{uuid.uuid4().hex}", config, now)
                for bucket in commit.buckets((slot, slot) for slot in _slots(session)):
                    session.bind_bucket("crawldb", "crawldb", bucket)
                    path = commit.data_path(bucket)
                    commit.replace(bucket, session.copy_bucket("dedup", "crawldb", bucket, path))
                commit.publish(JobReport("dedup", None, {"db_duplicate": losers}))
        deleted = _leave_index(crawl, config, session)
    counts = {"db_duplicate": losers, "deleted": deleted}
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


def _losers(session: Session, config: CrawlConfig, order: Sequence[str]) -> int:
    """`losers`: key, slot and winner of every page that is to be marked."""
    session.create("signatures", "dedup_signatures")
    places = {f"p_{criterion}": order.index(criterion) for criterion in NEEDED}
    https = order.index("httpsOverHttp") if "httpsOverHttp" in order else -1
    return session.create(
        "losers",
        "dedup_losers",
        group_mode=config.deduplication.group_mode,
        p_https=https,
        **{name.lower(): place for name, place in places.items()},
    )


def _slots(session: Session) -> list[int]:
    return [row["slot"] for row in session.rows("dedup_slots")]


def _leave_index(crawl: CrawlDir, config: CrawlConfig, session: Session) -> int:
    """Delete all duplicates from the index: also those that a killed dedup had marked."""
    files = [entry.path for entry in crawl.table("crawldb").current().files]
    session.bind("crawldb", "crawldb", files)
    deleted = 0
    with IndexWriters(config, crawl.index_location) as writers:
        for batch in session.batches("dedup_duplicates"):
            for row in batch:
                writers.delete(row["url"])
                deleted += 1
        if deleted:
            writers.commit()
    return deleted
