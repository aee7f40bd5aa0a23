"""The second commit of updatedb: what a segment says of hosts, and their URLs by status."""

from dataclasses import dataclass
from datetime import datetime

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.errors import CrawlError, StoreError
from crawl_ops.model import JobReport
from crawl_ops.storage.crawl_dir import CrawlDir
from crawl_ops.storage.manifest import SLOT_BITS, Bucket, Manifest
from crawl_ops.storage.merged import Overlay
from crawl_ops.storage.rewrite import lay_over, may_lie_over, rewrite
from crawl_ops.storage.schema import sql_text
from crawl_ops.storage.session import Session
from crawl_ops.storage.table import Commit
from crawl_ops.storage.uniting import laid_by_same_depth


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
        crawldb = crawl.table("crawldb").current()
        commit = table.begin("updatedb", f"updatedb:{segment}", config, now)
        commit.segments.append(segment)
        try:
            with session.one_thread():
                _update(session, config, commit, crawldb)
        except CrawlError:
            commit.abandon()
            raise
        details = {"crawldb_version": crawldb.version}
        commit.publish(JobReport("updatedb", segment, {"hosts": commit.rows}, details=details))


def _update(session: Session, config: CrawlConfig, commit: Commit, crawldb: Manifest) -> None:
    purging = config.db.update_purge_404 or config.db.update_purge_orphans
    # What the crawldb's commit changed is all that has changed since hosts were counted last.
    before = commit.parent.report.get("crawldb_version", 0)
    shifted = session.has("shifts") and before == crawldb.parent and not purging
    hosts = _Hosts(session, commit, crawldb, shifted=shifted, purging=purging)
    last = laid_by_same_depth(commit.parent, session.files, commit.segments[0])
    if shifted and may_lie_over(commit, session.rows("hostdb_size")[0]["n"], last):
        lay_over(session, commit, hosts.overlay(commit.parent.bucket()), last)
        return
    # A purge may have emptied buckets that the segment does not touch; what was not counted along
    # is counted anew.
    ranges = _touched(session, crawldb.bits) if shifted else None
    for bucket in commit.buckets(ranges):
        overlay = hosts.overlay(bucket)
        wanted = session.stored("hostdb", bucket) + overlay.rows_added
        rows = rewrite(session, commit, bucket, overlay)
        if rows != wanted:
            raise StoreError(
                f"hostdb, slots {bucket.lo} to {bucket.hi}: {rows} rows after updatedb, not"
                f" {wanted}; nothing was committed"
            )


def _touched(session: Session, bits: int) -> list[tuple[int, int]]:
    """The slots of the crawldb's buckets that the segment touches."""
    shift = SLOT_BITS - bits
    session.bind("crawldb", "crawldb", [])
    rows = session.rows("updatedb_touched", shift=shift, purge_404=False, purge_orphans=False)
    return [(row["bucket"] << shift, (row["bucket"] + 1 << shift) - 1) for row in rows]


@dataclass(frozen=True, slots=True)
class _Hosts:
    """What a segment makes of the hosts of a bucket.

    shifted: URLs by status are those of the last version and what the segment has changed; else
    they are counted.
    """

    session: Session
    commit: Commit
    crawldb: Manifest
    shifted: bool
    purging: bool

    def overlay(self, bucket: Bucket) -> Overlay:
        """What the segment adds to a bucket of the hostdb and changes in it."""
        session, slots = self.session, {"lo": bucket.lo, "hi": bucket.hi}
        session.bind_bucket("hostdb", "hostdb", bucket)
        if self.shifted:
            # Read once: of most hosts nothing is said.
            session.create("said", "hostdb_said", **slots)
            session.create("met", "hostdb_met")
            session.bind_select("hostdb", "FROM met")
        session.create("asked", "hostdb_asked", **slots)
        session.create("robots_seen", "hostdb_robots", **slots)
        if self.shifted:
            session.create("counted", "hostdb_shifted", **slots)
        else:
            session.bind_table("crawldb", self.crawldb, bucket.lo, bucket.hi)
            session.create("counted", "hostdb_counted", **slots)
            session.create("said", "hostdb_all" if self.purging else "hostdb_named")
            session.create("met", "hostdb_met")
        session.create("renewed", "hostdb", all_counted=self.purging)
        changed = session.create("changed", "hostdb_changed")
        return Overlay(
            added=sql_text("hostdb_added"),
            rows_added=session.count("renewed") - changed,
            changed="changed" if changed else None,
        )
