"""check: whether what a run brought is good enough for the index."""

import logging
import time
from collections import Counter
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.errors import NotFoundError
from crawl_ops.jobs.generating.claiming import check_kept
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
    once in this run, with whatever HTTP status), a share of failed fetches that is larger by more
    than crawl.check.errors.up than in the run before, if there was one. What a redo, of this run or
    another, has had in the meantime has not failed. A run that only asks again
    for pages of another is judged by the good pages alone. A run that had nothing to fetch has
    nothing to find fault with.
    Raises NotFoundError for a run that the crawl does not know, NotKeptError if it keeps no segment
    of it.
    """
    started = time.monotonic()
    mine = _kept(crawl, run_id)
    findings: list[str] = []
    counts: Counter[str] = Counter()
    if mine:
        whole = any(one.of_segment is None for one in mine)
        with crawl.session(config) as session:
            findings += _pages(crawl, session, config, mine, counts)
            if whole:
                findings += _hosts(crawl, session, config, mine, now, counts)
                findings += _errors(crawl, session, config, mine, counts)
    details: dict[str, Any] = {"findings": findings}
    report = JobReport("check", None, dict(counts), time.monotonic() - started, details)
    log.info("check: %s; %s", report.counts, "; ".join(findings) or "nothing found")
    return report


def _kept(crawl: CrawlDir, run_id: str) -> list[Claim]:
    """What a run claimed and has a segment of; none, if it had nothing to fetch."""
    made = [
        one for depth in depths(crawl.files, run_id) for one in claims(crawl.files, run_id, depth)
    ]
    if not made:
        raise NotFoundError(f"this crawl has no run {run_id!r}")
    there = set(crawl.segments())
    kept = [one for one in made if one.segment in there]
    folded = {*crawl.table("crawldb").current().segments, *crawl.stood_for()}
    gone = [one.segment for one in made if one.segment not in there and one.segment in folded]
    check_kept("check", crawl, run_id, [one.segment for one in kept], gone)
    return kept


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
    for one in mine:
        for part in ("crawl_fetch", "robots"):
            session.bind_part(crawl.segment(one.segment), part)
        session.append("answered", "check_answered")
    lost = [row["host"] for row in session.rows("check_hosts", start=start, end=now.isoformat())]
    counts["hosts_lost"] = len(lost)
    if len(lost) > config.crawl.check_hosts_lost:
        told = ", ".join(lost[:HOSTS_TOLD])
        more = f" and {len(lost) - HOSTS_TOLD:,} more" if len(lost) > HOSTS_TOLD else ""
        yield f"hosts that answered before, but not in this run: {told}{more}"


def _errors(
    crawl: CrawlDir, session: Session, config: CrawlConfig, mine: list[Claim], counts: Counter[str]
) -> Iterable[str]:
    names = {one.segment for one in mine}
    asked, failed = _standing(crawl, session, names)
    counts["fetches"], counts["failed"] = asked, failed
    if asked < FETCHES_LEAST:
        return
    earlier_asked, earlier_failed = _fetches(crawl, _run_before(crawl, names))
    if earlier_asked < FETCHES_LEAST:
        return
    usual, share = earlier_failed / earlier_asked, failed / asked
    if share - usual > config.crawl.check_errors_up:
        yield f"fetches that failed went up from {usual:.0%} to {share:.0%}"


def _standing(crawl: CrawlDir, session: Session, names: set[str]) -> tuple[int, int]:
    """URLs that a run asked for, and those that have failed now: a redo may have had them since."""
    again = _asking_again(crawl, names)
    if not again:
        return _fetches(crawl, names)
    for name in sorted(names | again):
        session.bind_part(crawl.segment(name), "crawl_fetch")
        session.append("fetched", "check_fetched", mine=name in names)
    standing = session.rows("check_failed")[0]
    return standing["asked"], standing["failed"]


def _asking_again(crawl: CrawlDir, names: set[str]) -> set[str]:
    """Segments, also of other runs, that ask again for what failed in some segments."""
    found: set[str] = set()
    folded = set(crawl.table("crawldb").current().segments)
    for name in crawl.segments():  # oldest first: a redo of a redo comes after it
        asked = set(crawl.segment(name).info().get("of_segments") or ())
        if name in folded and asked & (names | found):
            found.add(name)
    return found


def _run_before(crawl: CrawlDir, mine: set[str]) -> set[str]:
    """The segments that the last run before this one began with; none that asked again."""
    first = min(mine)
    infos = {name: crawl.segment(name).info() for name in crawl.segments() if name < first}
    whole = [name for name, info in infos.items() if not info.get("of_segment")]
    last = infos[max(whole)].get("run_id") if whole else None
    return {name for name in whole if infos[name].get("run_id") == last}


def _fetches(crawl: CrawlDir, names: Iterable[str]) -> tuple[int, int]:
    """URLs that were asked for, and those of them that failed."""
    counts: Counter[str] = Counter()
    for name in names:
        segment = crawl.segment(name)
        for number in segment.lists():
            counts.update((segment.done("fetch", number) or {}).get("counts", {}))
    asked = sum(counts[status] for status in FetchStatus)
    return asked, counts[FetchStatus.FETCH_RETRY]
