"""inject: add seeds to the crawldb."""

import logging
import time
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.errors import CrawlError
from crawl_ops.jobs.injecting.columns import fill_seeds
from crawl_ops.jobs.injecting.lines import seed_blocks
from crawl_ops.model import JobReport
from crawl_ops.storage.crawl_dir import CrawlDir
from crawl_ops.storage.manifest import SLOTS, Bucket
from crawl_ops.storage.merged import Overlay
from crawl_ops.storage.rewrite import lay_over, may_lie_over, rewrite
from crawl_ops.storage.schema import sql_text
from crawl_ops.storage.session import Session
from crawl_ops.storage.table import Commit
from crawl_ops.urls.chain import UrlChain
from crawl_ops.urls.identity import UrlIdentifier

log = logging.getLogger(__name__)

SORTED_ROWS = 100_000  # seeds sorted at once


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
    # One thread: each more holds rows to write, a hundred MB of them.
    with crawl.session(config, threads=1) as session, table.writing():
        chain = UrlChain(config, "inject")
        counts = fill_seeds(session, seed_blocks(seeds), config, UrlIdentifier(crawl.seed), chain)
        commit = table.begin("inject", operation, config, now)
        commit.filters = chain.filters
        before = commit.parent.rows
        try:
            _write(session, commit, overwrite=overwrite, update=update)
        except CrawlError:
            commit.abandon()
            raise
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


def _write(session: Session, commit: Commit, *, overwrite: bool, update: bool) -> None:
    """Few seeds are laid over a large crawldb; else the buckets that they touch are written."""
    lines = session.count("lines")
    commit.spread(lines)
    if session.rows("inject_doubles")[0]["n"]:
        lines = session.create("last", "inject_last")
        session.bind_query("seeds", "inject_seeds_last")
    else:
        session.bind_query("seeds", "inject_seeds")
    job = _Job(session, commit, overwrite, update)
    if may_lie_over(commit, lines):
        lay_over(session, commit, job.overlay(commit.parent.bucket(), lines))
        return
    slots = {row["slot"]: row["n"] for row in session.rows("inject_slots")}
    for bucket in commit.buckets((slot, slot) for slot in slots):
        seeds = sum(n for slot, n in slots.items() if bucket.lo <= slot <= bucket.hi)
        rewrite(session, commit, bucket, job.overlay(bucket, seeds))


@dataclass(frozen=True, slots=True)
class _Job:
    """What inject does with a bucket."""

    session: Session
    commit: Commit
    overwrite: bool
    update: bool

    def overlay(self, bucket: Bucket, seeds: int) -> Overlay:
        """What the seeds add to a bucket and change in it. seeds: how many are in its slots."""
        now = self.commit.now
        slots = {"lo": bucket.lo, "hi": bucket.hi}
        given = {"now": now.replace(microsecond=now.microsecond // 1000 * 1000)}
        self._share(bucket, slots)
        self.session.bind_bucket("crawldb", "crawldb", bucket)
        known = self.session.create("past", "inject_past")
        if known:
            self.session.create(
                "changed",
                "inject_changed",
                overwrite=self.overwrite,
                update=self.update,
                score_injected=self.commit.config.db.score_injected,
                interval_default=self.commit.config.db.fetch_interval_default,
                **given,
            )
        self._fresh()
        return Overlay(
            added=sql_text("inject"),
            rows_added=seeds - known,
            changed="changed" if known else None,
            parameters=given,
        )

    def _share(self, bucket: Bucket, slots: dict[str, int]) -> None:
        """`share`: the seeds of a bucket."""
        if bucket.hi - bucket.lo == SLOTS - 1:
            self.session.bind_query("share", "inject_all")
        else:
            self.session.bind_spooled("share", [("inject_share", slots)])

    def _fresh(self) -> None:
        """`fresh`: those of them that are new, sorted. Some hosts at a time: all take memory."""
        hosts = [row["last"] for row in self.session.rows("inject_hosts", rows=SORTED_ROWS)] or [""]
        bounds = zip([None, *hosts], hosts, strict=False)
        runs = [("inject_fresh", {"after": after, "last": last}) for after, last in bounds]
        self.session.bind_spooled("fresh", runs)
