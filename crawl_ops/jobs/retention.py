"""retention: remove old segments that have done their work."""

import logging
import time
from collections import Counter
from datetime import datetime, timedelta

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.jobs.indexing.done import indexed
from crawl_ops.model import JobReport
from crawl_ops.storage.crawl_dir import CrawlDir

log = logging.getLogger(__name__)


def retention(crawl: CrawlDir, config: CrawlConfig, now: datetime) -> JobReport:
    """Remove segments that are old: by crawl.segments.kept, and by crawl.segments.kept.days.

    One that is not in the crawldb, the linkdb or the index yet always stays, and is counted as
    such. What is in the tables and in the index stays there; the raw pages are gone.
    """
    started = time.monotonic()
    counts: Counter[str] = Counter()
    names = crawl.segments()
    newest = set(names[len(names) - config.crawl.segments_kept :])
    oldest = now - timedelta(days=config.crawl.segments_kept_days)
    missing_from = {
        "not_in_crawldb": set(crawl.table("crawldb").current().segments),
        "not_in_linkdb": set(crawl.table("linkdb").current().segments),
        "not_in_index": indexed(crawl),
    }
    for name in names:
        segment = crawl.segment(name)
        young = datetime.fromisoformat(segment.info()["created"]) > oldest
        wanted = next((why for why, done in missing_from.items() if name not in done), None)
        if name in newest or young:
            counts["kept"] += 1
        elif wanted:
            counts[wanted] += 1
        else:
            counts["removed"] += 1
            counts["bytes"] += crawl.remove_segment(segment)
    report = JobReport("retention", None, dict(counts), time.monotonic() - started)
    log.info("retention: %s in %.1f s", report.counts, report.seconds)
    return report
