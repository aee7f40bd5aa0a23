"""What a segment makes of the URLs of a bucket, or of all buckets at once."""

from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.jobs.updating.touched import bind_touched
from crawl_ops.storage.manifest import Bucket
from crawl_ops.storage.merged import Overlay
from crawl_ops.storage.schema import sql_text
from crawl_ops.storage.segment import Segment
from crawl_ops.storage.session import Session
from crawl_ops.storage.table import Commit

CLOCKS_APART = timedelta(days=1)
"""A fetch that is so far ahead of now was dated by a wrong clock, not by another machine's."""


@dataclass(slots=True)
class Folding:
    """Folds a segment, whose parts are bound in the session, into one bucket after the other."""

    session: Session
    commit: Commit
    segment: str
    additions: bool
    counted: Counter[str] = field(default_factory=Counter)
    _slots: dict[str, set[int]] = field(default_factory=dict)

    @property
    def _config(self) -> CrawlConfig:
        return self.commit.config

    @property
    def _believable(self) -> datetime:
        return self.commit.now + CLOCKS_APART

    @property
    def keep(self) -> str:
        """SQL for the old rows that stay: purged ones do not (Nutch rule 10.1)."""
        db = self._config.db
        gone = {"db_gone": db.update_purge_404, "db_orphan": db.update_purge_orphans}
        return " AND ".join(f"status <> '{status}'" for status, purged in gone.items() if purged)

    def overlay(self, bucket: Bucket, *, small: bool = False) -> Overlay:
        """What the segment adds to a bucket and changes in it. small: few of many rows."""
        session, slots = self.session, {"lo": bucket.lo, "hi": bucket.hi}
        self._links(slots)
        with session.one_thread():
            session.create("fetched", "updatedb_fetched", **slots)
        if small:
            bind_touched(session, self.commit, Segment(session.files, self.segment), self.keep)
        else:
            session.bind_placed("known", "crawldb", bucket, self.keep)
            session.create("past", "updatedb_past")
        session.create("matched", "updatedb_matched")
        with session.one_thread():
            fetched = session.create("outcome", "updatedb_outcome", **self._rules())
        unknown = int(session.rows("updatedb_unknown")[0]["n"])
        changed = fetched - unknown
        if unknown:
            session.create("changed", "updatedb_changed")
        session.bind_select("moved", sql_text("updatedb_moved"))
        linked = session.create("fresh", "updatedb_fresh")
        session.create("named", "updatedb_named", **slots)
        session.append("shifts", "updatedb_shifts", additions_allowed=self.additions)
        self.counted["added"] += unknown + (linked if self.additions else 0)
        given = {
            "now": self.commit.now,
            "interval_default": self._config.db.fetch_interval_default,
            "additions_allowed": self.additions,
        }
        if unknown:
            session.create("added", "updatedb_added", **given)
        return Overlay(
            added=sql_text("updatedb" if unknown else "updatedb_added"),
            rows_added=unknown + (linked if self.additions else 0),
            changed=("changed" if unknown else "outcome") if changed else None,
            moved="moved",
            placed=True,
            places=None if small else "past",
            parameters={} if unknown else given,
        )

    def count(self) -> None:
        """For the report: fetched URLs by their new status, and what became of the rest."""
        session = self.session
        if not self.additions:
            self.counted["not_added"] += session.rows("updatedb_not_added")[0]["n"]
        balance = session.rows("updatedb_balance", believable=self._believable)[0]
        self.counted["older_fetch_ignored"] += balance["ignored"]
        self.counted["key_collisions"] += balance["key_collisions"]
        for row in session.rows("updatedb_statuses"):
            self.counted[row["status"]] += row["urls"]

    def _links(self, slots: dict[str, int]) -> None:
        session, most = self.session, self._config.db.update_max_inlinks
        unusual = self._some("updatedb_unusual", slots)
        session.define("scoring/unusual" if unusual else "scoring/usual")
        with session.one_thread():
            session.create("linked", "updatedb_linked", **slots)
        if session.create("crowded", "updatedb_crowded", max_inlinks=most):
            session.create("limited", "updatedb_limited", max_inlinks=most, **slots)
            session.rename("limited", "linked")
        # Few segments say more of URLs than their shares, and to look for it takes a while.
        between = slots if self._some("updatedb_telling", slots) else {"lo": 1, "hi": 0}
        session.create("described", "updatedb_described", now=self.commit.now, **between)

    def _some(self, query: str, slots: dict[str, int]) -> bool:
        """Whether a query of the whole segment names slots of a bucket."""
        if query not in self._slots:
            self._slots[query] = {row["slot"] for row in self.session.rows(query)}
        return any(slots["lo"] <= slot <= slots["hi"] for slot in self._slots[query])

    def _rules(self) -> dict[str, Any]:
        config, db = self._config, self._config.db
        return {
            "segment": self.segment,
            "believable": self._believable,
            "additions_allowed": self.additions,
            "delete_failed_parse": config.parser.delete_failed_parse,
            "retry_max": db.fetch_retry_max,
            "parse_keys": list(db.parsemeta_to_crawldb),
            # What the schedule macros read, in seconds.
            "rules": {
                "interval_default": db.fetch_interval_default,
                "interval_max": db.fetch_interval_max,
                "inc_rate": db.adaptive_inc_rate,
                "dec_rate": db.adaptive_dec_rate,
                "min_interval": db.adaptive_min_interval,
                "max_interval": db.adaptive_max_interval,
                "sync_delta": db.adaptive_sync_delta,
                "sync_delta_rate": db.adaptive_sync_delta_rate,
            },
        }
