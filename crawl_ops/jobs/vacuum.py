"""vacuum: remove what nothing needs any more."""

import logging
import shutil
import time
from collections import Counter
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.model import JobReport
from crawl_ops.storage.crawl_dir import TABLES, CrawlDir
from crawl_ops.storage.files import SCRATCH
from crawl_ops.storage.manifest import KINDS
from crawl_ops.storage.table import VersionedTable

log = logging.getLogger(__name__)

COMMIT_GRACE = timedelta(hours=1)
LEFTOVER_GRACE = timedelta(days=1)


def vacuum(crawl: CrawlDir, config: CrawlConfig, now: datetime) -> JobReport:
    """Remove old versions, the data only they name, and what killed jobs left behind.

    A version goes when it is neither among the newest db.versions.kept nor younger than
    db.versions.kept.hours. Files younger than an hour (data) or a day (leftovers) stay: a job may
    be about to need them. Raises CommitConflictError (retryable) while a job writes a table.
    """
    started = time.monotonic()
    counts: Counter[str] = Counter()
    for name in TABLES:
        table = crawl.table(name)
        with table.writing():
            kept = _drop_versions(table, config, now, counts)
            _drop_data(crawl, table, kept, now, counts)
    _drop_scratch(crawl, now, counts)
    _drop_journals(crawl, now, counts)
    _drop_unborn_segments(crawl, now, counts)
    report = JobReport("vacuum", None, dict(counts), time.monotonic() - started)
    log.info("vacuum: %s in %.1f s", report.counts, report.seconds)
    return report


def _drop_versions(
    table: VersionedTable, config: CrawlConfig, now: datetime, counts: Counter[str]
) -> list[int]:
    """Remove manifests; returns the versions that stay."""
    versions = table.versions()
    young = now - timedelta(hours=config.db.versions_kept_hours)
    kept = []
    for number in versions:
        newest = number > versions[-1] - config.db.versions_kept
        if newest or datetime.fromisoformat(table.version(number).created) > young:
            kept.append(number)
        else:
            table.files.remove(f"{table.name}/manifests/{number:08}.json")
            counts["versions"] += 1
    return kept


def _drop_data(
    crawl: CrawlDir, table: VersionedTable, kept: list[int], now: datetime, counts: Counter[str]
) -> None:
    named = {entry.path for number in kept for entry in table.version(number).files}
    there = [path for kind in KINDS for path in crawl.files.walk(f"{table.name}/{kind}")]
    for path in there:
        if path not in named and _older(crawl.root / path, now, COMMIT_GRACE):
            counts["bytes"] += crawl.files.size(path)
            counts["data_files"] += 1
            crawl.files.remove(path)


def _drop_scratch(crawl: CrawlDir, now: datetime, counts: Counter[str]) -> None:
    """Files that were never finished, and what a killed job spilled."""
    for folder in ("aside", "spill"):
        for path in list(crawl.files.walk(f"{SCRATCH}/{folder}")):
            if _older(crawl.root / path, now, LEFTOVER_GRACE):
                crawl.files.remove(path)
                counts["scratch_files"] += 1


def _drop_journals(crawl: CrawlDir, now: datetime, counts: Counter[str]) -> None:
    """Journals of finished lists and of segments that are gone; others can be recovered."""
    segments = set(crawl.segments())
    for path in list(crawl.files.walk(f"{SCRATCH}/fetch")):
        name, fetch_list = (*Path(path).parts[2:], "")[:2]
        number = fetch_list.removeprefix("list-")
        if name in segments:
            done = number.isdigit() and crawl.segment(name).done("fetch", int(number)) is not None
        else:
            done = _older(crawl.root / path, now, LEFTOVER_GRACE)
        if done:
            crawl.files.remove(path)
            counts["journals"] += 1


def _drop_unborn_segments(crawl: CrawlDir, now: datetime, counts: Counter[str]) -> None:
    """Folders of segments that a killed generate never finished."""
    born = set(crawl.segments())
    for name in crawl.files.names("segments"):
        folder = crawl.root / "segments" / name
        if name in born or not folder.is_dir() or not _all_older(folder, now):
            continue
        shutil.rmtree(folder, ignore_errors=True)
        counts["segments"] += 1


def _all_older(folder: Path, now: datetime) -> bool:
    return all(_older(path, now, LEFTOVER_GRACE) for path in _with_content(folder))


def _with_content(folder: Path) -> Iterator[Path]:
    yield folder
    yield from folder.rglob("*")


def _older(path: Path, now: datetime, grace: timedelta) -> bool:
    """Whether a file was last written so long ago; one that has gone meanwhile was not."""
    try:
        return path.stat().st_mtime < (now - grace).timestamp()
    except FileNotFoundError:
        return False
