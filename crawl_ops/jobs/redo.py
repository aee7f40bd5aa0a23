"""redo: what would be asked for again of an earlier run. Changes nothing."""

import logging
import time
from datetime import datetime

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.jobs.generating.again import count_again
from crawl_ops.jobs.generating.claiming import again_of
from crawl_ops.jobs.generating.wish import Again
from crawl_ops.model import JobReport
from crawl_ops.storage.crawl_dir import CrawlDir
from crawl_ops.storage.runs import Claim

log = logging.getLogger(__name__)

HOSTS_TOLD = 20


def redo(crawl: CrawlDir, config: CrawlConfig, again: Again, now: datetime) -> JobReport:
    """Count the URLs that `generate(again=again)` would select, by host and by why they failed.

    details: hosts, reasons: URLs by host, by reason, the most frequent first.
    Raises NotFoundError for a run or depth that the crawl does not know, or keeps no more, and for
    a fetch list or host that it does not have.
    """
    started = time.monotonic()
    manifest = crawl.table("crawldb").current()
    moment = now.isoformat()
    wanted = again_of(
        crawl, manifest, again, Claim("", 0, 0, "", moment, moment, manifest.version, ())
    )
    with crawl.session(config) as session:
        urls = count_again(session, crawl, manifest, wanted)
        hosts = {row["host"]: row["urls"] for row in session.rows("redo_hosts")}
        reasons = {row["reason"]: row["urls"] for row in session.rows("redo")}
    counts = {"urls": urls, "hosts": len(hosts), "segments": len(wanted.of_segments)}
    details = {"hosts": dict(list(hosts.items())[:HOSTS_TOLD]), "reasons": reasons}
    report = JobReport("redo", wanted.of_segment, counts, time.monotonic() - started, details)
    log.info("redo of %s: %d urls of %d hosts", again.run_id, urls, len(hosts))
    for kind, found in details.items():
        for name, number in found.items():
            log.info("  %s: %s: %d urls", kind, name, number)
    return report
