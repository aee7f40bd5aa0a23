"""What is done in the index with each page of a segment (Nutch rule 14.1)."""

from collections.abc import Iterable, Mapping
from typing import Any

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.jobs.indexing.done import Times, indexed, times_of
from crawl_ops.storage.crawl_dir import CrawlDir
from crawl_ops.storage.segment import Segment
from crawl_ops.storage.session import Session

OTHER = {"crawl_fetch": "other_fetch", "parse_data": "other_data", "parse_text": "other_text"}


class Decider:
    """Decides page by page, so that segments may be indexed in any order.

    What another indexed segment said later stands: an older page never comes back. `names`: the
    segments that this job indexes.
    """

    def __init__(
        self, crawl: CrawlDir, config: CrawlConfig, session: Session, names: Iterable[str]
    ) -> None:
        self._crawl = crawl
        self._session = session
        self._rules = _rules(config)
        self._folded = set(crawl.table("crawldb").current().segments)
        self._there = crawl.segments()
        self._known = [*self._there, *crawl.stood_for()]
        compared = indexed(crawl) | set(names)
        self._times: dict[str, Times] = {}
        for name in (name for name in self._there if name in compared):
            self._times[name] = times_of(crawl, session, crawl.segment(name))
        session.define("index_rules")

    def times(self, segment: Segment) -> Times:
        """When the pages of a segment of this job were fetched."""
        return self._times[segment.name]

    def decide(self, segment: Segment) -> Mapping[str, int]:
        """Make the temporary tables `decided` and `anchors`; pages of a segment by action."""
        session = self._session
        for part in ("crawl_fetch", "parse_data", "parse_text"):
            session.bind_part(segment, part)
        session.create("fetched", "index_fetched", rules=self._rules)
        self._bind_table("crawldb")
        session.create("db", "index_db")
        self._later(segment)
        session.create("decided", "index_decided", rules=self._rules, there=self._known)
        for name in ("fetched", "db", "later", "contested"):
            session.drop(name)
        self._bind_table("linkdb")
        session.create("anchors", "index_anchors")
        return {row["action"]: row["n"] for row in session.rows("index_actions")}

    def _bind_table(self, name: str) -> None:
        self._session.bind_table(name, self._crawl.table(name).current())

    def _later(self, segment: Segment) -> None:
        """`later`: pages that another indexed segment added or took out, and when."""
        session = self._session
        others = [name for name in self._times if self._may_be_later(name, segment)]
        # The crawldb knows of later fetches in folded segments; only those pages are looked up.
        everything = not self._folded.issuperset(others)
        contested = session.create("contested", "index_contested", all=everything)
        for part, bound in OTHER.items():
            session.bind(bound, part, [])
        session.create("later", "index_later", rules=self._rules)
        for name in others if contested else ():
            other = self._crawl.segment(name)
            for part, bound in OTHER.items():
                session.bind_part(other, part, bound)
            session.append("later", "index_later", rules=self._rules)

    def _may_be_later(self, name: str, segment: Segment) -> bool:
        last, first = self._times[name].last, self._times[segment.name].first
        return name != segment.name and last is not None and first is not None and last > first


def _rules(config: CrawlConfig) -> dict[str, Any]:
    """What asked_of_index reads."""
    return {
        "delete": config.indexer.delete,
        "delete_noindex": config.indexer.delete_robots_noindex,
        "delete_failed": config.parser.delete_failed_parse,
        "skip_notmodified": config.indexer.skip_notmodified,
    }
