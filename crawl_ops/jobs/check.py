"""check: whether what a run brought is good enough for the index."""

import logging
import time
from collections import Counter
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.errors import NotFoundError
from crawl_ops.model import FetchStatus, JobReport
from crawl_ops.storage.crawl_dir import CrawlDir
from crawl_ops.storage.manifest import Manifest
from crawl_ops.storage.runs import Claim, claims, depths
from crawl_ops.storage.session import Session

log = logging.getLogger(__name__)

HOSTS_TOLD = 20
FETCHES_LEAST = 10
"""Of fewer fetches a share says nothing."""


def check(crawl: CrawlDir, config: CrawlConfig, run_id: str, now: datetime) -> JobReport:
    """Compare the crawl after a run with the crawl before it.

    details["findings"]: what is wrong, a line each, none if all is well: good pages lost beyond
    crawl.check.pages.down, hosts lost beyond crawl.check.hosts.lost (they answered before, and not
    once in this run), a share of failed fetches that is larger by more than crawl.check.errors.up
    than in the run before. A run without a segment has nothing to find fault with.
    """
    started = time.monotonic()
    made = [
        one for depth in depths(crawl.files, run_id) for one in claims(crawl.files, run_id, depth)
    ]
    there = set(crawl.segments())
    mine = [one for one in made if one.segment in there]
    findings: list[str] = []
    counts: Counter[str] = Counter()
    if mine:
        with crawl.session(config) as session:
            findings += _pages(crawl, session, config, mine, counts)
            findings += _hosts(crawl, session, config, mine, now, counts)
        findings += _errors(crawl, config, mine, counts)
    details: dict[str, Any] = {"findings": findings}
    report = JobReport("check", None, dict(counts), time.monotonic() - started, details)
    log.info("check: %s; %s", report.counts, "; ".join(findings) or "nothing found")
    return report


def _pages(
    crawl: CrawlDir,
    session: Session,
    config: CrawlConfig,
    mine: list[Claim],
    counts: Counter[str],
) -> Iterable[str]:
    table = crawl.table("crawldb")
    counts["pages"] = _good(session, table.current())
    try:
        before = _good(session, table.version(min(one.crawldb_version for one in mine)))
    except NotFoundError:  # vacuum has removed it: a check of long ago is asked again
        return
    counts["pages_before"] = before
    if before and 1 - counts["pages"] / before > config.crawl.check_pages_down:
        yield f"good pages went down from {before:,} to {counts['pages']:,}"


def _good(session: Session, manifest: Manifest) -> int:
    session.bind_table("crawldb", manifest)
    return int(session.rows("check")[0]["pages"])


def _hosts(
    crawl: CrawlDir,
    session: Session,
    config: CrawlConfig,
    mine: list[Claim],
    now: datetime,
    counts: Counter[str],
) -> Iterable[str]:
    session.bind_table("hostdb", crawl.table("hostdb").current())
    start = min(one.now for one in mine)
    lost = [row["host"] for row in session.rows("check_hosts", start=start, end=now.isoformat())]
    counts["hosts_lost"] = len(lost)
    if len(lost) > config.crawl.check_hosts_lost:
        told = ", ".join(lost[:HOSTS_TOLD])
        more = f" and {len(lost) - HOSTS_TOLD:,} more" if len(lost) > HOSTS_TOLD else ""
        yield f"hosts that answered before, but not in this run: {told}{more}"


def _errors(
    crawl: CrawlDir, config: CrawlConfig, mine: list[Claim], counts: Counter[str]
) -> Iterable[str]:
    names = {one.segment for one in mine}
    asked, failed = _fetches(crawl, names)
    counts["fetches"], counts["failed"] = asked, failed
    if asked < FETCHES_LEAST:
        return
    earlier_asked, earlier_failed = _fetches(crawl, _run_before(crawl, names))
    usual = earlier_failed / earlier_asked if earlier_asked >= FETCHES_LEAST else 0.0
    share = failed / asked
    if share - usual > config.crawl.check_errors_up:
        yield f"fetches that failed went up from {usual:.0%} to {share:.0%}"


def _run_before(crawl: CrawlDir, mine: set[str]) -> set[str]:
    """The segments of the last run before this one."""
    first = min(mine)
    runs = {
        name: crawl.segment(name).info().get("run_id") for name in crawl.segments() if name < first
    }
    last = runs[max(runs)] if runs else None
    return {name for name, run in runs.items() if run == last}


def _fetches(crawl: CrawlDir, names: Iterable[str]) -> tuple[int, int]:
    """URLs that were asked for, and those of them that failed."""
    counts: Counter[str] = Counter()
    for name in names:
        segment = crawl.segment(name)
        for number in segment.lists():
            counts.update((segment.done("fetch", number) or {}).get("counts", {}))
    asked = sum(counts[status] for status in FetchStatus)
    return asked, counts[FetchStatus.FETCH_RETRY]
