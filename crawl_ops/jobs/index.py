"""index: from parsed pages to documents."""

import logging
import time
from collections import Counter
from collections.abc import Sequence
from datetime import datetime

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.index.document import Record
from crawl_ops.index.indexing_filters import IndexingFilters
from crawl_ops.index.writers import IndexWriters, check
from crawl_ops.jobs.indexing.decide import Decider
from crawl_ops.jobs.indexing.done import note, unseen
from crawl_ops.jobs.indexing.records import records
from crawl_ops.model import JobReport
from crawl_ops.storage.crawl_dir import CrawlDir
from crawl_ops.storage.segment import Segment
from crawl_ops.storage.session import Session

log = logging.getLogger(__name__)


def index(
    crawl: CrawlDir, config: CrawlConfig, segments: Sequence[str] | None, now: datetime
) -> JobReport:
    """Add the pages of segments to the index, and take out what may not be there (Nutch rules 14).

    segments None: all that were folded into the crawldb and are not in the index yet. Pages that
    are gone, redirected, duplicates or noindex leave the index; a failed try changes nothing.
    Segments may come in any order: of a page that several hold, the latest counts.
    Raises NotFoundError for a segment that does not exist, IndexingError (retryable) if another
    job writes the index for too long.
    """
    started = time.monotonic()
    check(config, crawl.index_location)
    todo = _todo(crawl, segments)
    counts: Counter[str] = Counter()
    if todo:
        log.info("index: %s", ", ".join(segment.name for segment in todo))
        # The writers' lock first: what is read of the crawl then includes the last index job.
        with (
            IndexWriters(config, crawl.index_location) as writers,
            crawl.session(config) as session,
        ):
            todo = _todo(crawl, segments)
            decider = Decider(crawl, config, session, [segment.name for segment in todo])
            job = _Job(crawl, config, session, decider, writers)
            for segment in todo:
                counts.update(job.segment(segment, now))
    report = JobReport(
        "index",
        todo[-1].name if todo else None,
        dict(counts),
        time.monotonic() - started,
        {"segments": len(todo)},
    )
    log.info("index: %s in %.1f s", report.counts, report.seconds)
    return report


def _todo(crawl: CrawlDir, segments: Sequence[str] | None) -> list[Segment]:
    names = unseen(crawl) if segments is None else segments
    found = {segment.name: segment for segment in map(crawl.segment, names)}
    return [found[name] for name in sorted(found)]


class _Job:
    """What indexing a segment works with."""

    def __init__(
        self,
        crawl: CrawlDir,
        config: CrawlConfig,
        session: Session,
        decider: Decider,
        writers: IndexWriters,
    ) -> None:
        self._crawl = crawl
        self._session = session
        self._decider = decider
        self._writers = writers
        self._filters = IndexingFilters(config)
        self._delete_skipped = config.indexer.delete_skipped_by_indexingfilter

    def segment(self, segment: Segment, now: datetime) -> Counter[str]:
        """Index one segment and commit; returns what was done."""
        counts: Counter[str] = Counter()
        for action, pages in self._decider.decide(segment).items():
            if action not in ("add", "delete"):
                counts[f"skipped.{action}"] = pages
        for batch in self._session.batches("index_deleted"):
            for row in batch:
                self._writers.delete(row["url"])
            counts["deleted"] += len(batch)
        for record in records(self._crawl, self._session, segment):
            counts[self._add(record)] += 1
        for refusal in self._writers.commit():
            counts["refused"] += 1
            counts["indexed"] -= 1
            log.warning("index: %s refused: %s", refusal.id, refusal.reason)
        note(self._crawl, segment, counts, self._decider.times(segment), now)
        return counts

    def _add(self, record: Record) -> str:
        indexed = self._filters.document(record)
        if indexed.document is not None:
            self._writers.write(indexed.document)
            return "indexed"
        if self._delete_skipped and not indexed.failed:
            self._writers.delete(record.url)
        return f"skipped.{indexed.rejected_by}"
