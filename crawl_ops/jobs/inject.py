"""inject: add seeds to the crawldb."""

import logging
import time
import uuid
from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.errors import SeedError
from crawl_ops.jobs.injecting.fields import Fields
from crawl_ops.jobs.injecting.lines import seed_lines
from crawl_ops.model import DbStatus, JobReport
from crawl_ops.storage.crawl_dir import CrawlDir
from crawl_ops.storage.session import Session
from crawl_ops.urls.chain import UrlChain
from crawl_ops.urls.identity import UrlIdentifier

log = logging.getLogger(__name__)

BATCH = 50_000


def inject(
    crawl: CrawlDir,
    config: CrawlConfig,
    seeds: Path | Sequence[str],
    now: datetime,
    *,
    overwrite: bool = False,
    update: bool = False,
    operation: str | None = None,
) -> JobReport:
    """Add seeds to the crawldb: lines of `URL [TAB name=value]...` (Nutch rules 3.1 to 3.4).

    seeds: a file, a folder of files, or the lines themselves. A known URL stays as it is, unless
    `update` (score, interval and metadata of the seed are taken over) or `overwrite` (it starts
    anew). operation: asked again with the same one, nothing changes.
    Raises SeedError naming file and line if a line is no URL; then nothing has changed.
    """
    started = time.monotonic()
    operation = operation or f"inject:{uuid.uuid4().hex}"
    table = crawl.table("crawldb")
    if report := table.done(operation):
        return report
    with crawl.session(config) as session, table.writing():
        counts, slots = _seed_rows(session, crawl, config, seeds, now)
        commit = table.begin("inject", operation, config, now)
        commit.spread(counts["seeds"])
        before = commit.parent.rows
        for bucket in commit.buckets((slot, slot) for slot in sorted(slots)):
            session.bind_bucket("crawldb", "crawldb", bucket)
            entry = session.copy_bucket(
                "inject",
                "crawldb",
                bucket,
                commit.data_path(bucket),
                lo=bucket.lo,
                hi=bucket.hi,
                overwrite=overwrite,
                update=update,
                score_injected=config.db.score_injected,
                interval_default=config.db.fetch_interval_default,
            )
            commit.replace(bucket, entry)
        counts["injected"] = commit.rows - before
        report = JobReport(
            "inject",
            None,
            dict(counts),
            time.monotonic() - started,
            {"version": commit.version, "urls": commit.rows},
        )
        commit.publish(report)
    log.info("inject: %s", report.counts)
    return report


def _seed_rows(
    session: Session,
    crawl: CrawlDir,
    config: CrawlConfig,
    seeds: Path | Sequence[str],
    now: datetime,
) -> tuple[Counter[str], set[int]]:
    """Fill the temporary table `seeds`; returns counts and the slots touched."""
    chain = UrlChain(config, "inject")
    identifier = UrlIdentifier(crawl.seed)
    counts: Counter[str] = Counter(seeds=0)
    slots: set[int] = set()
    batch: list[dict[str, Any]] = []
    session.bind_rows("seeds", "crawldb", [])
    fields = Fields()
    for seed in seed_lines(seeds):
        url, _, rest = seed.text.partition("\t")
        verdict = chain.judge(url.strip())
        counts["seeds"] += 1
        if verdict.rejected_by == "malformed":
            raise SeedError(f"{seed.where}: {url.strip()[:200]!r} is no URL")
        if verdict.url is None:
            counts[f"rejected.{verdict.rejected_by}"] += 1
            continue
        identity = identifier.identify(verdict.url)
        slots.add(identity.slot)
        row = _row(verdict.url, identity._asdict(), config, now)
        fields.apply(row, rest, seed.where)
        batch.append(row)
        if len(batch) >= BATCH:
            session.append_rows("seeds", "crawldb", batch)
            batch.clear()
    session.append_rows("seeds", "crawldb", batch)
    return counts, slots


def _row(url: str, identity: dict[str, Any], config: CrawlConfig, now: datetime) -> dict[str, Any]:
    return {
        **identity,
        "url": url,
        "status": DbStatus.DB_UNFETCHED,
        "fetch_time": now.replace(microsecond=now.microsecond // 1000 * 1000),
        "interval_s": config.db.fetch_interval_default,
        "retries": 0,
        "score": config.db.score_injected,
        "depth": 1,
        "metadata": None,
    }
