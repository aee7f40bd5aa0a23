"""explain: why a URL is or is not known, fetched, parsed and indexed."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.jobs.explaining.evidence import Evidence, gather
from crawl_ops.jobs.explaining.rounds import round_steps
from crawl_ops.jobs.explaining.rules import UrlRules, robots_step
from crawl_ops.jobs.explaining.selection import not_generated
from crawl_ops.jobs.explaining.standing import (
    NEVER_SEEN,
    dedup_steps,
    index_step,
    origin_steps,
    schedule_step,
    unknown_steps,
)
from crawl_ops.jobs.explaining.story import Step, iso
from crawl_ops.storage.crawl_dir import CrawlDir
from crawl_ops.storage.reading import read_again


def explain(crawl: CrawlDir, config: CrawlConfig, url: str, now: datetime) -> dict[str, Any]:
    """The story of a URL, from what is recorded and by replaying the rules.

    {"url", "normalized", "status", "steps": [{"step", "outcome", "reason", "detail", "time"}],
    "next_fetch"}. status: of the crawldb, or None. steps: the rules as they are now, then what
    happened, in order, then where the URL stands. Times are ISO 8601 in UTC, or None.
    """
    rules = UrlRules(config, url)
    evidence = read_again(lambda: gather(crawl, config, rules.spellings()))
    steps = [*rules.steps(), *_happened(config, evidence), *_stands(crawl, config, evidence, now)]
    row = evidence.row
    return {
        "url": url,
        "normalized": rules.normalized["default"],
        "status": row["status"] if row else None,
        "steps": [step.as_dict() for step in steps],
        "next_fetch": iso(row["fetch_time"]) if row else None,
    }


def never_seen(story: Mapping[str, Any]) -> bool:
    """Whether the crawl has nothing on record of the URL of a story, not even a refusal."""
    return any(step["reason"] == NEVER_SEEN for step in story["steps"])


def _happened(config: CrawlConfig, evidence: Evidence) -> Iterator[Step]:
    if robots := robots_step(config, evidence):
        yield robots
    yield from origin_steps(evidence)
    for found in evidence.rounds:
        yield from round_steps(evidence, found)
    if evidence.rounds and (left_out := not_generated(evidence, evidence.rounds[-1])):
        yield left_out
    yield from dedup_steps(evidence)
    yield from unknown_steps(evidence)


def _stands(
    crawl: CrawlDir, config: CrawlConfig, evidence: Evidence, now: datetime
) -> Iterator[Step]:
    yield index_step(crawl, evidence)
    if due := schedule_step(evidence, now, config.db.fetch_interval_max):
        yield due
