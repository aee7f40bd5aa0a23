"""Which segments may be merged, and what speaks against the others."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from crawl_ops.errors import StoreError
from crawl_ops.storage.crawl_dir import CrawlDir
from crawl_ops.storage.runs import claims, depths
from crawl_ops.storage.segment import FETCH, PARSE, Segment


@dataclass(frozen=True, slots=True)
class Standing:
    """What a crawl has done with its segments, as it was when this was made.

    wanted: segments that others, not folded yet, were made from.
    """

    crawl: CrawlDir
    there: Sequence[str]
    folded: frozenset[str]
    counted: frozenset[str]
    inverted: frozenset[str]
    wanted: dict[str, str]

    @classmethod
    def of(cls, crawl: CrawlDir) -> "Standing":
        there = crawl.segments()
        folded = frozenset(crawl.table("crawldb").current().segments)
        wanted: dict[str, str] = {}
        for name in there:
            if name not in folded:
                asked = crawl.segment(name).info().get("of_segments") or ()
                wanted |= dict.fromkeys(asked, name)
        return cls(
            crawl,
            there,
            folded,
            frozenset(crawl.table("hostdb").current().segments),
            frozenset(crawl.table("linkdb").current().segments),
            wanted,
        )

    def missing(self, segment: Segment) -> str | None:
        """What a segment lacks to be merged, in a few words; None: nothing."""
        name = segment.name
        for job, done in ((FETCH, "fetched"), (PARSE, "parsed")):
            for number in segment.lists():
                if segment.done(job, number) is None:
                    return f"list {number} is not {done} to its end"
        if name not in self.folded or name not in self.counted:
            return "it is not in the crawldb yet; run updatedb first"
        if name in self.wanted:
            return f"segment {self.wanted[name]}, which is not folded yet, asks again for it"
        return self._working(segment.info().get("run_id"))

    def _working(self, run_id: str | None) -> str | None:
        """Whether the run that made a segment has another one that is not folded yet."""
        for depth in depths(self.crawl.files, run_id) if run_id else ():
            for one in claims(self.crawl.files, str(run_id), depth):
                if one.segment in self.there and one.segment not in self.folded:
                    return f"its run {run_id} is not at its end: {one.segment} is not folded yet"
        return None


def checked(standing: Standing, names: Sequence[str]) -> list[Segment]:
    """Segments that were named, oldest first.

    Raises NotFoundError for one that does not exist, StoreError for one that may not be merged.
    """
    found = {segment.name: segment for segment in map(standing.crawl.segment, names)}
    ordered = [found[name] for name in sorted(found)]
    for segment in ordered:
        if missing := standing.missing(segment):
            raise StoreError(f"segment {segment.name} cannot be merged: {missing}")
    if len(ordered) < 2:
        raise StoreError("one segment is no merge; name two or more")
    first, last = ordered[0].name, ordered[-1].name
    for name in standing.there:
        if first < name < last and name not in found:
            # The merged one takes the place of the newest: what lies between would become older.
            raise StoreError(f"segment {name} lies between those to merge; name it too")
    inverted = standing.inverted.intersection(found)
    if inverted and (left := [name for name in found if name not in inverted]):
        raise StoreError(
            f"segment {min(left)} cannot be merged: it is not in the linkdb, as"
            f" {min(inverted)} is; run invertlinks first"
        )
    return ordered


def older_than(standing: Standing, days: float, now: datetime) -> Iterator[list[Segment]]:
    """Finished segments older than so many days, in rows of neighbours that can be merged."""
    oldest = now - timedelta(days=days)
    row: list[Segment] = []
    for name in standing.there:
        segment = standing.crawl.segment(name)
        old = datetime.fromisoformat(segment.info()["created"]) < oldest
        fit = old and standing.missing(segment) is None
        same = not row or (name in standing.inverted) == (row[0].name in standing.inverted)
        if row and not (fit and same):
            yield row
            row = []
        if fit:
            row.append(segment)
    yield row
