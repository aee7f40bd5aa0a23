"""The whole cycle in one process: what Nutch's bin/crawl does."""

import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crawl_ops.cli.progress import ProgressView, expected_end
from crawl_ops.cli.stopping import Stop
from crawl_ops.errors import StoppedError
from crawl_ops.model import DbStatus, JobReport

if TYPE_CHECKING:
    from crawl_ops.config.properties import CrawlConfig
    from crawl_ops.storage.crawl_dir import CrawlDir

OWN_RUNS = "cli-"
"""How the run ids of this command begin."""


@dataclass(slots=True)
class Outcome:
    """What a cycle came to."""

    rounds: int = 0
    stats: dict[str, int] = field(default_factory=dict)
    indexed: int = 0
    held: str | None = None  # which due URLs other runs hold, where that ended the rounds

    def as_dict(self) -> dict[str, Any]:
        note = {"note": self.held} if self.held else {}
        return {"rounds": self.rounds, "stats": self.stats, "indexed": self.indexed, **note}


@dataclass(frozen=True, slots=True)
class Cycle:
    """One run: inject; per depth generate, fetch, parse, updatedb; then the links and the index.

    When asked to stop, the job that is under way ends in good order and keeps what it has. The
    next run first brings the round to its end that a stopped or killed one has left open.
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
        outcome = Outcome()
        try:
            self._steps(outcome, seeds, depth, topn, index)
        except StoppedError as stopped:
            self.view.note(str(stopped))
        outcome.stats = self._stats()
        outcome.indexed = self._indexed()
        return outcome

    def _steps(
        self,
        outcome: Outcome,
        seeds: Path | list[str] | None,
        depth: int,
        topn: int | None,
        index: bool,
    ) -> None:
        run_id = f"{OWN_RUNS}{self.clock():%Y%m%d%H%M%S}-{uuid.uuid4().hex[:8]}"
        if seeds is not None:
            self._inject(seeds, run_id)
        for segment in self._left_open():
            self._visit(segment, f"left open: {segment}", None)
            outcome.rounds += 1
        for number in range(1, depth + 1):
            if not self._round(outcome, run_id, number, depth, topn):
                break
            outcome.rounds += 1
        self._publish(index)

    def _left_open(self) -> list[str]:
        """Segments of earlier runs of this command that were not folded in, oldest first."""
        from crawl_ops.jobs.generate import open_segments

        names = open_segments(
            self.crawl, self.config, self.crawl.table("crawldb").current(), self.clock()
        )
        runs = {name: str(self.crawl.segment(name).info().get("run_id") or "") for name in names}
        return [name for name in sorted(names) if runs[name].startswith(OWN_RUNS)]

    def _inject(self, seeds: Path | list[str], run_id: str) -> None:
        from crawl_ops.jobs.inject import inject

        self._stage("inject")
        self._done(inject(self.crawl, self.config, seeds, self.clock(), operation=run_id))

    def _round(
        self, outcome: Outcome, run_id: str, number: int, depth: int, topn: int | None
    ) -> bool:
        from crawl_ops.jobs.generate import generate

        of = f"depth {number} of {depth}"
        self._stage(f"{of}: generate")
        report = generate(
            self.crawl, self.config, self.clock(), run_id=run_id, depth=number, topn=topn
        )
        if report.segment is None:
            note = report.details.get("note") or "nothing is due"
            self.view.note(f"{of}: {note}")
            outcome.held = note if report.counts.get("in_open_segment") else None
            return False
        self._done(report)
        ends = expected_end(report.details.get("lists", ()), self.clock())
        self._visit(report.segment, of, ends)
        return True

    def _visit(self, segment: str, of: str, ends: datetime | None) -> None:
        from crawl_ops.jobs.fetch import fetch
        from crawl_ops.jobs.parse import parse
        from crawl_ops.jobs.updatedb import updatedb

        crawl, config, clock = self.crawl, self.config, self.clock
        self._stage(f"{of}: fetch {segment}", ends)
        self._done(
            fetch(crawl, config, segment, clock, stop=self.stop.event, progress=self.view.line)
        )
        self._stage(f"{of}: parse {segment}")
        self._done(
            parse(crawl, config, segment, clock(), stop=self.stop.event, progress=self.view.line)
        )
        self._stage(f"{of}: updatedb {segment}")
        self._done(updatedb(crawl, config, [segment], clock()))

    def _publish(self, index_too: bool) -> None:
        from crawl_ops.jobs.dedup import dedup
        from crawl_ops.jobs.index import index
        from crawl_ops.jobs.invertlinks import invertlinks

        self._stage("invertlinks")
        self._done(invertlinks(self.crawl, self.config, None, self.clock()))
        if index_too:
            self._stage("index")
            self._done(index(self.crawl, self.config, None, self.clock()))
        self._stage("dedup")
        self._done(dedup(self.crawl, self.config, self.clock()))

    def _stage(self, what: str, ends: datetime | None = None) -> None:
        """A step begins, unless somebody has asked to stop."""
        if self.stop.event.is_set():
            raise StoppedError(f"stopped before {what}")
        self.view.stage(what, ends)

    def _stats(self) -> dict[str, int]:
        from crawl_ops.jobs.readdb import stats as stats_of

        stats = stats_of(self.crawl, self.config)
        counts = stats.get("status", stats)
        return {str(status): counts[status] for status in DbStatus if counts.get(status)}

    def _indexed(self) -> int:
        from crawl_ops.index.search import indexed_ids

        return sum(1 for _ in indexed_ids(self.crawl.index_location))

    def _done(self, report: JobReport) -> None:
        what = f"{report.job} {report.segment}" if report.segment else report.job
        counts = report.counts
        if lists := report.details.get("lists"):
            counts = {
                "urls": sum(int(one.get("urls", 0)) for one in lists),
                "hosts": sum(int(one.get("hosts", 0)) for one in lists),
                "lists": len(lists),
            }
        told = ", ".join(f"{count:,} {name}" for name, count in counts.items())
        self.view.done(f"{what}: {told or 'nothing to do'} in {report.seconds:.1f} s")
