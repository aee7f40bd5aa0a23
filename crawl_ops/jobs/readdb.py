"""readdb: what the crawldb holds, for people and scripts."""

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.storage.crawl_dir import CrawlDir
from crawl_ops.storage.manifest import Manifest
from crawl_ops.storage.session import Session
from crawl_ops.urls.chain import UrlChain
from crawl_ops.urls.identity import UrlIdentifier

QUANTILES = ("0.01", "0.05", "0.25", "0.5", "0.75", "0.95", "0.99")


def stats(crawl: CrawlDir, config: CrawlConfig) -> dict[str, Any]:
    """Counts by status and by retries, and extremes, under Nutch's names (rule 19).

    total, each status, "retry n", score min/avg/max and quantiles, fetch times, intervals.
    """
    with crawl.session(config) as session:
        session.bind_table("crawldb", crawl.table("crawldb").current())
        counts = session.rows("readdb_counts")
        extremes = session.rows("readdb_extremes")[0]
    by_status: Counter[str] = Counter()
    by_retries: Counter[int] = Counter()
    for row in counts:
        by_status[row["status"]] += row["urls"]
        by_retries[row["retries"]] += row["urls"]
    found: dict[str, Any] = {"total": by_status.total(), **by_status}
    if not by_status:
        return found
    quantiles = [round(value, 6) for value in extremes.pop("quantiles")]
    return {
        **found,
        **{f"retry {retries}": urls for retries, urls in sorted(by_retries.items())},
        **{name.replace("_", " "): value for name, value in extremes.items()},
        "score quantiles": dict(zip(QUANTILES, quantiles, strict=True)),
    }


def record(crawl: CrawlDir, config: CrawlConfig, url: str) -> dict[str, Any] | None:
    """The record of a URL as given, else of what it is normalized to; None if there is none."""
    manifest = crawl.table("crawldb").current()
    with crawl.session(config) as session:
        if found := _record(session, crawl, manifest, url):
            return found
        normalized = UrlChain(config, filter=False).normalize(url)
        if normalized is None or normalized == url:
            return None
        return _record(session, crawl, manifest, normalized)


def dump(crawl: CrawlDir, config: CrawlConfig) -> Iterator[dict[str, Any]]:
    """Every record of the version that is current now, by bucket, host and URL."""
    manifest = crawl.table("crawldb").current()
    with crawl.session(config) as session:
        for bucket in manifest.buckets():
            session.bind_bucket("crawldb", "crawldb", bucket)
            for batch in session.batches("readdb"):
                yield from map(_shown, batch)


def _record(
    session: Session, crawl: CrawlDir, manifest: Manifest, url: str
) -> dict[str, Any] | None:
    identity = UrlIdentifier(crawl.seed).identify(url)
    session.bind_table("crawldb", manifest, identity.slot, identity.slot)
    rows = session.rows("readdb_record", host=identity.host, url=url)
    return _shown(rows[0]) if rows else None


def _shown(row: dict[str, Any]) -> dict[str, Any]:
    metadata = row["metadata"]
    return {**row, "metadata": json.loads(metadata) if metadata is not None else None}
