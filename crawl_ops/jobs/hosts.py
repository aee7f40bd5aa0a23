"""The second commit of updatedb: what a segment says of hosts, and their URLs by status."""

from datetime import datetime

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.errors import CrawlError, StoreError
from crawl_ops.model import JobReport
from crawl_ops.storage.crawl_dir import CrawlDir
from crawl_ops.storage.manifest import SLOT_BITS, SLOTS, Manifest, overlapping
from crawl_ops.storage.session import Session
from crawl_ops.storage.table import Bucket, Commit


def update_hostdb(
    crawl: CrawlDir, config: CrawlConfig, session: Session, segment: str, now: datetime
) -> None:
    """Fold a segment into the hostdb, once; the crawldb has it already.

    crawl_fetch, crawl_parse and robots of the segment are bound in the session.
    """
    table = crawl.table("hostdb")
    if segment in table.current().segments:
        return
    with table.writing():
        if segment in table.current().segments:
            return
        commit = table.begin("updatedb", f"updatedb:{segment}", config, now)
        commit.segments.append(segment)
        try:
            _update(session, config, commit, crawl.table("crawldb").current())
        except CrawlError:
            commit.abandon()
            raise
        commit.publish(JobReport("updatedb", segment, {"hosts": commit.rows}))


def _update(session: Session, config: CrawlConfig, commit: Commit, crawldb: Manifest) -> None:
    purging = config.db.update_purge_404 or config.db.update_purge_orphans
    # A purge may have emptied buckets that the segment does not touch.
    ranges = [(0, SLOTS - 1)] if purging else _touched(session, crawldb.bits)
    counted = {
        entry.path: entry for lo, hi in ranges for entry in overlapping(crawldb.files, lo, hi)
    }
    covered = [(entry.lo, entry.hi) for entry in counted.values()] + ranges
    for bucket in commit.buckets(covered):
        files = overlapping(counted.values(), bucket.lo, bucket.hi)
        session.bind("crawldb", "crawldb", [entry.path for entry in files])
        _update_bucket(session, commit, bucket, purging)


def _touched(session: Session, bits: int) -> list[tuple[int, int]]:
    """The slots of the crawldb's buckets that the segment touches."""
    shift = SLOT_BITS - bits
    session.bind("crawldb", "crawldb", [])
    rows = session.rows("updatedb_touched", shift=shift, purge_404=False, purge_orphans=False)
    return [(row["bucket"] << shift, (row["bucket"] + 1 << shift) - 1) for row in rows]


def _update_bucket(session: Session, commit: Commit, bucket: Bucket, purging: bool) -> None:
    slots = {"lo": bucket.lo, "hi": bucket.hi}
    session.bind_bucket("hostdb", "hostdb", bucket)
    session.create("counted", "hostdb_counted", **slots)
    session.create("asked", "hostdb_asked", **slots)
    session.create("robots_seen", "hostdb_robots", **slots)
    path = commit.data_path(bucket)
    entry = session.copy_bucket("hostdb", "hostdb", bucket, path, all_counted=purging)
    commit.replace(bucket, entry)
    wanted = session.rows("hostdb_balance")[0]["hosts"]
    rows = entry.rows if entry else 0
    if rows != wanted:
        raise StoreError(
            f"hostdb, slots {bucket.lo} to {bucket.hi}: {rows} rows after updatedb, not {wanted};"
            " nothing was committed"
        )
