"""generate: make a segment of the URLs that are due, as fetch lists."""

import itertools
import json
import logging
import time
import uuid
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Literal

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.errors import NotFoundError
from crawl_ops.jobs.fetch_lists import HostLoad, balanced
from crawl_ops.model import JobReport
from crawl_ops.storage.crawl_dir import CrawlDir
from crawl_ops.storage.manifest import Bucket, Manifest, overlapping, slots_of
from crawl_ops.storage.runs import Claim, claim, claims
from crawl_ops.storage.segment import Segment
from crawl_ops.storage.session import Session
from crawl_ops.urls.chain import UrlChain

log = logging.getLogger(__name__)

FILTER_ROUNDS = 4
NO_LIMIT = 2**62


@dataclass(frozen=True, slots=True)
class Wish:
    """What is asked of a selection, apart from the configuration."""

    topn: int
    num_fetchers: int


def generate(
    crawl: CrawlDir,
    config: CrawlConfig,
    now: datetime,
    *,
    run_id: str | None = None,
    depth: int | None = None,
    topn: int | None = None,
    num_fetchers: int | None = None,
    add_days: float = 0,
    force: bool = False,
    redo: Literal["failed", "all"] = "failed",
) -> JobReport:
    """Select due URLs into a new segment (Nutch rules 4.1 to 4.4); segment None if nothing is due.

    run_id, depth: asked again for the same, the segment made then is returned; if that was folded
    into the crawldb already, a new segment redoes what failed in it (redo "all": everything).
    add_days: as if it were so many days later. force: URLs of open segments are selected too.
    """
    started = time.monotonic()
    table = crawl.table("crawldb")
    manifest = table.current()
    wish = Wish(
        config.generate.topn if topn is None else topn,
        num_fetchers or config.generate.num_fetchers,
    )
    cur_time = now + timedelta(days=add_days)
    open_now = () if force else open_segments(crawl, config, manifest, cur_time)
    taken = _claim(crawl, config, manifest, now, cur_time, run_id, depth, open_now, redo)
    if taken.redo < 0:
        return _report(crawl.segment(taken.segment), started, already_done=True)
    segment = crawl.new_segment(taken.segment)
    if crawl.files.exists(f"{segment.folder}/segment.json"):
        return _report(segment, started, already_done=True)
    version = table.version(taken.crawldb_version)
    counts = _make(crawl, config, version, segment, taken, wish, redo)
    if not crawl.files.exists(f"{segment.folder}/segment.json"):
        log.info("generate: nothing to fetch, %s", dict(counts))
        details: dict[str, Any] = {"lists": []}
        return JobReport("generate", None, dict(counts), time.monotonic() - started, details)
    report = _report(segment, started)
    log.info("generate %s: %s in %.1f s", report.segment, report.counts, report.seconds)
    return report


def open_segments(
    crawl: CrawlDir, config: CrawlConfig, manifest: Manifest, cur_time: datetime
) -> tuple[str, ...]:
    """Segments generated and not yet folded, and not older than crawl.gen.delay: the marks."""
    oldest = cur_time - timedelta(milliseconds=config.crawl.gen_delay)
    folded = set(manifest.segments)
    names = [name for name in crawl.segments() if name not in folded]
    return tuple(
        name
        for name in names
        if datetime.fromisoformat(crawl.segment(name).info()["created"]) > oldest
    )


def _claim(
    crawl: CrawlDir,
    config: CrawlConfig,
    manifest: Manifest,
    now: datetime,
    cur_time: datetime,
    run_id: str | None,
    depth: int | None,
    open_now: tuple[str, ...],
    redo: str,
) -> Claim:
    """What this call is to make. redo -1: nothing, the segment named is there and complete."""
    fresh = Claim(
        run_id=run_id or "",
        depth=depth or 0,
        redo=0,
        segment=_segment_name(now),
        now=now.isoformat(),
        cur_time=cur_time.isoformat(),
        crawldb_version=manifest.version,
        open_segments=open_now,
    )
    if run_id is None or depth is None:
        return fresh
    earlier = claims(crawl.files, run_id, depth)
    if not earlier:
        return claim(crawl.files, fresh)
    last = earlier[-1]
    if last.segment not in manifest.segments:
        return last
    if redo == "failed" and not _failed(crawl, config, last.segment):
        return replace(last, redo=-1)
    again = replace(fresh, redo=last.redo + 1, of_segment=last.segment)
    return claim(crawl.files, again)


def _segment_name(now: datetime) -> str:
    return f"{now:%Y%m%d%H%M%S}-{now.microsecond // 1000:03}{uuid.uuid4().hex[:8]}"


def _failed(crawl: CrawlDir, config: CrawlConfig, name: str) -> bool:
    """Whether any URL of a segment was not fetched, or may come out otherwise if asked again."""
    segment = crawl.segment(name)
    with crawl.session(config) as session:
        session.bind_part(segment, "crawl_generate")
        session.bind_part(segment, "crawl_fetch")
        return bool(session.rows("generate_redo", everything=False))


def _make(
    crawl: CrawlDir,
    config: CrawlConfig,
    manifest: Manifest,
    segment: Segment,
    taken: Claim,
    wish: Wish,
    redo: str,
) -> Counter[str]:
    """Write the fetch lists, and segment.json unless there is nothing to fetch."""
    with crawl.session(config) as session:
        _bind_marks(session, crawl, taken)
        counts = Counter[str]()
        if taken.of_segment is None:
            buckets = _buckets(manifest)
            _select(session, config, buckets, taken, wish, counts)
        else:
            _select_again(session, crawl, taken.of_segment, redo)
            buckets = _buckets(manifest)
        loads = _loads(session, crawl, config)
        if loads:
            lists = balanced(loads, wish.num_fetchers)
            _write_lists(session, config, buckets, segment, taken, lists)
            segment.publish(_info(config, taken, lists, counts, session))
    return counts


def _buckets(manifest: Manifest) -> list[Bucket]:
    ranges = (slots_of(number, manifest.bits) for number in range(1 << manifest.bits))
    return [Bucket(lo, hi, tuple(overlapping(manifest.files, lo, hi))) for lo, hi in ranges]


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
    session.append("candidates", "generate_candidates")
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


def _select_again(session: Session, crawl: CrawlDir, name: str, redo: str) -> None:
    segment = crawl.segment(name)
    session.bind_part(segment, "crawl_generate")
    session.bind_part(segment, "crawl_fetch")
    session.create("selected", "generate_redo", everything=redo == "all")
    session.bind_rows("refused", "rejected", [])


def _loads(session: Session, crawl: CrawlDir, config: CrawlConfig) -> list[HostLoad]:
    hostdb = crawl.table("hostdb").current()
    session.bind_table("hostdb", hostdb)
    rows = session.rows(
        "generate_loads",
        by_domain=config.partition.url_mode == "byDomain",
        delay=config.fetcher.server_delay,
    )
    return [HostLoad(row["key"], row["urls"], row["hosts"], row["expected_s"]) for row in rows]


def _write_lists(
    session: Session,
    config: CrawlConfig,
    buckets: Sequence[Bucket],
    segment: Segment,
    taken: Claim,
    lists: Sequence[Sequence[HostLoad]],
) -> None:
    session.bind_columns(
        "host_lists",
        key=[load.key for loads in lists for load in loads],
        list=[number for number, loads in enumerate(lists) for _ in loads],
    )
    session.create("placed", "generate_place", by_domain=config.partition.url_mode == "byDomain")
    session.drop("emitted")
    session.bind_rows("emitted", "crawl_generate", [])
    for bucket in buckets:
        session.bind_bucket("crawldb", "crawldb", bucket)
        session.append(
            "emitted",
            "generate_emit",
            lo=bucket.lo,
            hi=bucket.hi,
            interval_max=config.db.fetch_interval_max,
            cur_time=datetime.fromisoformat(taken.cur_time),
        )
    for number in range(len(lists)):
        path = f"{segment.folder}/crawl_generate/list-{number:03}/list.0000.parquet"
        session.copy("generate", "crawl_generate", path, list=number)
    refused = session.rows("generate_refused")
    segment.write_part("rejected", 0, "generate.0000", refused)


def _info(
    config: CrawlConfig,
    taken: Claim,
    lists: Sequence[Sequence[HostLoad]],
    counts: Counter[str],
    session: Session,
) -> dict[str, Any]:
    cut = session.rows("generate_cut")
    return {
        "created": taken.now,
        "cur_time": taken.cur_time,
        "run_id": taken.run_id or None,
        "depth": taken.depth or None,
        "redo": taken.redo,
        "of_segment": taken.of_segment,
        "crawldb_version": taken.crawldb_version,
        "selection": {"counts": dict(counts), "lowest": cut[0] if cut else None},
        "lists": [
            {
                "list": number,
                "urls": sum(load.urls for load in loads),
                "hosts": sum(load.hosts for load in loads),
                "expected_s": round(max((load.expected_s for load in loads), default=0.0), 1),
            }
            for number, loads in enumerate(lists)
        ],
        "config": json.loads(json.dumps(config.as_properties(), default=str)),
    }


def _report(segment: Segment, started: float, *, already_done: bool = False) -> JobReport:
    info = segment.info()
    details: dict[str, Any] = {"lists": info["lists"], "redo": info["redo"]}
    if already_done:
        details["already_done"] = True
    counts = {**info["selection"]["counts"], "urls": sum(e["urls"] for e in info["lists"])}
    return JobReport("generate", segment.name, counts, time.monotonic() - started, details)
