"""What a segment makes of the URLs of a bucket, or of all buckets at once."""

from dataclasses import dataclass
from typing import Any

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.storage.manifest import Bucket
from crawl_ops.storage.merged import Overlay
from crawl_ops.storage.schema import sql_text
from crawl_ops.storage.session import Session
from crawl_ops.storage.table import Commit


@dataclass(frozen=True, slots=True)
class Folding:
    """Folds a segment, whose parts are bound in the session, into one bucket after the other."""

    session: Session
    commit: Commit
    segment: str
    additions: bool

    @property
    def _config(self) -> CrawlConfig:
        return self.commit.config

    @property
    def keep(self) -> str:
        """SQL for the old rows that stay: purged ones do not (Nutch rule 10.1)."""
        db = self._config.db
        gone = {"db_gone": db.update_purge_404, "db_orphan": db.update_purge_orphans}
        return " AND ".join(f"status <> '{status}'" for status, purged in gone.items() if purged)

    def overlay(self, bucket: Bucket) -> Overlay:
        """What the segment adds to a bucket and changes in it."""
        session, slots = self.session, {"lo": bucket.lo, "hi": bucket.hi}
        session.bind_bucket("known", "crawldb", bucket, keep=self.keep)
        self._links(slots)
        session.create("described", "updatedb_described", now=self.commit.now, **slots)
        session.create("fetched", "updatedb_fetched", **slots)
        session.create("past", "updatedb_past")
        session.create("met", "updatedb_met")
        fetched = session.create("outcome", "updatedb_outcome", **self._rules())
        changed = session.create("changed", "updatedb_changed")
        moved = session.create("moved", "updatedb_moved")
        linked = session.create("fresh", "updatedb_fresh")
        session.create("named", "updatedb_named", **slots)
        session.append("shifts", "updatedb_shifts", additions_allowed=self.additions)
        return Overlay(
            added=sql_text("updatedb"),
            rows_added=fetched - changed + (linked if self.additions else 0),
            changed="changed" if changed else None,
            moved="moved" if moved else None,
            parameters={
                "now": self.commit.now,
                "interval_default": self._config.db.fetch_interval_default,
                "additions_allowed": self.additions,
            },
        )

    def counts(self) -> dict[str, int]:
        """For the report: fetched URLs by their new status, and what became of the rest."""
        counts = self.session.rows("updatedb_balance", additions_allowed=self.additions)[0]
        statuses = {row["status"]: row["urls"] for row in self.session.rows("updatedb_statuses")}
        return {
            **statuses,
            "added": counts["added"],
            "older_fetch_ignored": counts["ignored"],
            "not_added": counts["not_added"],
            "key_collisions": counts["key_collisions"],
        }

    def _links(self, slots: dict[str, int]) -> None:
        most = self._config.db.update_max_inlinks
        self.session.create("linked", "updatedb_linked", **slots)
        if self.session.create("crowded", "updatedb_crowded", max_inlinks=most):
            self.session.create("limited", "updatedb_limited", max_inlinks=most, **slots)
            self.session.rename("limited", "linked")

    def _rules(self) -> dict[str, Any]:
        config, db = self._config, self._config.db
        return {
            "segment": self.segment,
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
