"""The whole cycle in one process: what Nutch's bin/crawl does."""

import logging
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crawl_ops.cli.progress import ProgressView, expected_end
from crawl_ops.cli.stopping import Stop
from crawl_ops.model import DbStatus, JobReport

if TYPE_CHECKING:
    from crawl_ops.config.properties import CrawlConfig
    from crawl_ops.storage.crawl_dir import CrawlDir

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class Outcome:
    """What a cycle came to."""

    rounds: int = 0
    stats: dict[str, int] = field(default_factory=dict)
    indexed: int = 0

    def as_dict(self) -> dict[str, Any]:
        return {"rounds": self.rounds, "stats": self.stats, "indexed": self.indexed}


@dataclass(frozen=True, slots=True)
class Cycle:
    """One run: inject; per depth generate, fetch, parse, updatedb; then the links and the index.

    When asked to stop, the round that is under way is parsed and folded in, so that nothing
    fetched is lost and nothing is left waiting; the rest is for the next run.
    """

    crawl: "CrawlDir"
    config: "CrawlConfig"
    view: ProgressView
    stop: Stop
    clock: Callable[[], datetime]

    def run(
        self, seeds: Path | list[str] | None, depth: int, topn: int | None, index: bool
    ) -> Outcome:
        """Crawl `depth` rounds, or until nothing is due."""
        run_id = f"cli-{self.clock():%Y%m%d%H%M%S}-{uuid.uuid4().hex[:8]}"
        outcome = Outcome()
        if seeds is not None:
            self._inject(seeds, run_id)
        while outcome.rounds < depth and not self._stopped:
            if not self._round(run_id, outcome.rounds + 1, depth, topn):
                break
            outcome.rounds += 1
        if not self._stopped:
            self._publish(index)
        outcome.stats = self._stats()
        outcome.indexed = self._indexed()
        return outcome

    @property
    def _stopped(self) -> bool:
        return self.stop.event.is_set()

    def _inject(self, seeds: Path | list[str], run_id: str) -> None:
        from crawl_ops.jobs.inject import inject

        self.view.stage("inject")
        self._done(inject(self.crawl, self.config, seeds, self.clock(), operation=run_id))

    def _round(self, run_id: str, number: int, depth: int, topn: int | None) -> bool:
        from crawl_ops.jobs.fetch import fetch
        from crawl_ops.jobs.generate import generate
        from crawl_ops.jobs.parse import parse
        from crawl_ops.jobs.updatedb import updatedb

        crawl, config, of = self.crawl, self.config, f"depth {number} of {depth}"
        self.view.stage(f"{of}: generate")
        report = generate(crawl, config, self.clock(), run_id=run_id, depth=number, topn=topn)
        segment = report.segment
        if segment is None:
            self.view.done(f"{of}: nothing is due")
            return False
        self._done(report)
        ends = expected_end(report.details.get("lists", ()), self.clock())
        self.view.stage(f"{of}: fetch {segment}", ends)
        self._done(
            fetch(
                crawl,
                config,
                segment,
                self.clock,
                stop=self.stop.event,
                progress=self.view.line,
            )
        )
        self.view.stage(f"{of}: parse {segment}")
        self._done(parse(crawl, config, segment, self.clock(), progress=self.view.line))
        self.view.stage(f"{of}: updatedb {segment}")
        self._done(updatedb(crawl, config, [segment], self.clock()))
        return True

    def _publish(self, index_too: bool) -> None:
        from crawl_ops.jobs.dedup import dedup
        from crawl_ops.jobs.index import index
        from crawl_ops.jobs.invertlinks import invertlinks

        self.view.stage("invertlinks")
        self._done(invertlinks(self.crawl, self.config, None, self.clock()))
        if index_too and not self._stopped:
            self.view.stage("index")
            self._done(index(self.crawl, self.config, None, self.clock()))
        if not self._stopped:
            self.view.stage("dedup")
            self._done(dedup(self.crawl, self.config, self.clock()))

    def _stats(self) -> dict[str, int]:
        from crawl_ops.jobs import readdb

        stats = readdb.stats(self.crawl, self.config)
        counts = stats.get("status", stats)
        return {str(status): counts[status] for status in DbStatus if counts.get(status)}

    def _indexed(self) -> int:
        from crawl_ops.index.search import indexed_ids

        return sum(1 for _ in indexed_ids(self.crawl.index_location))

    def _done(self, report: JobReport) -> None:
        counts = ", ".join(f"{count:,} {name}" for name, count in sorted(report.counts.items()))
        what = f"{report.job} {report.segment}" if report.segment else report.job
        self.view.done(f"{what}: {counts or 'nothing to do'} in {report.seconds:.1f} s")
