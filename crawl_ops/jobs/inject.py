"""inject: add seeds to the crawldb."""

import json
import logging
import math
import time
import uuid
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.errors import SeedError
from crawl_ops.model import DbStatus, JobReport
from crawl_ops.storage.crawl_dir import CrawlDir
from crawl_ops.storage.session import Session
from crawl_ops.urls.chain import UrlChain
from crawl_ops.urls.identity import UrlIdentifier

log = logging.getLogger(__name__)

BATCH = 50_000
MOST_INTERVAL_S = 2**31 - 1


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


@dataclass(frozen=True, slots=True)
class Seed:
    """A seed line, and where it stands."""

    text: str
    where: str


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
    for seed in _lines(seeds):
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
        batch.append(_row(verdict.url, identity._asdict(), rest, config, now))
        if len(batch) >= BATCH:
            session.append_rows("seeds", "crawldb", batch)
            batch.clear()
    session.append_rows("seeds", "crawldb", batch)
    return counts, slots


def _row(
    url: str, identity: dict[str, Any], rest: str, config: CrawlConfig, now: datetime
) -> dict[str, Any]:
    row = {
        **identity,
        "url": url,
        "status": DbStatus.DB_UNFETCHED,
        "fetch_time": now.replace(microsecond=now.microsecond // 1000 * 1000),
        "interval_s": config.db.fetch_interval_default,
        "retries": 0,
        "score": config.db.score_injected,
        "depth": 1,
    }
    metadata: dict[str, Any] = {}
    for piece in rest.strip().split("\t"):
        name, equals, value = piece.partition("=")
        if equals:
            _apply(row, metadata, name, value)
    row["metadata"] = json.dumps(metadata, ensure_ascii=False, sort_keys=True) if metadata else None
    return row


def _apply(row: dict[str, Any], metadata: dict[str, Any], name: str, value: str) -> None:
    """One `name=value` of a seed line; a number that is none is ignored (Nutch rule 3.1)."""
    if name == "nutch.score":
        if (score := _number(value)) is not None:
            row["score"] = score
    elif name == "nutch.fetchInterval":
        if (interval := _number(value)) is not None and 0 <= interval <= MOST_INTERVAL_S:
            row["interval_s"] = int(interval)
    elif name == "nutch.fetchInterval.fixed":
        if (interval := _number(value)) is not None and -1 < interval <= MOST_INTERVAL_S:
            row["interval_s"] = int(interval)
            metadata["fixedInterval"] = interval
    elif name == "_maxdepth_":
        if (depth := _number(value)) is not None and 0 < depth <= MOST_INTERVAL_S:
            row["max_depth"] = int(depth)
    else:
        metadata[name] = value.replace("\0", "")


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        log.warning("inject: %r is no number; ignored", text[:50])
        return None
    return value if math.isfinite(value) else None


def _lines(seeds: Path | Sequence[str]) -> Iterator[Seed]:
    """Seed lines without blank lines and comments."""
    if isinstance(seeds, Path):
        for file in _files(seeds):
            yield from _numbered(_text(file).split("\n"), str(file))
    else:
        yield from _numbered(seeds, "seeds")


def _numbered(lines: Sequence[str], name: str) -> Iterator[Seed]:
    for number, line in enumerate(lines, 1):
        text = line.strip("\r\n ")
        if text.strip() and not text.lstrip().startswith("#"):
            yield Seed(text, f"{name}, line {number}")


def _files(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    found = sorted(entry for entry in path.iterdir() if entry.is_file())
    if not found:
        raise SeedError(f"{path}: no seed files in this folder")
    return found


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise SeedError(f"{file}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise SeedError(f"{file}: is not UTF-8 text (byte {error.start})") from None
