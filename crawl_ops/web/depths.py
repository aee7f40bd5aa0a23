"""The depths of a run: what each was given, what came of it, and what is still to be asked for."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from crawl_ops.model import FetchStatus
from crawl_ops.storage.progress import running
from crawl_ops.storage.runs import Claim
from crawl_ops.storage.segment import Segment
from crawl_ops.storage.session import Session
from crawl_ops.storage.views import part_select
from crawl_ops.web.runs import RunCrawl

FAILED = (FetchStatus.FETCH_RETRY, FetchStatus.FETCH_GONE, FetchStatus.PARSE_FAILED)
NOT_PAGES = ("links", "outlinks")


@dataclass(slots=True)
class Depth:
    """One segment of a run. counts: URLs by fetch status, and `left.<rule>` for those left out.

    state: generated, fetching, fetched, parsed, folded. live: what running fetches last said.
    """

    claim: Claim
    segment: Segment
    lists: Sequence[dict[str, Any]]
    state: str = "generated"
    counts: Counter[str] = field(default_factory=Counter)
    parsed: Counter[str] = field(default_factory=Counter)
    lists_fetched: int = 0
    lists_parsed: int = 0
    live: dict[int, dict[str, Any]] = field(default_factory=dict)

    @property
    def generated(self) -> int:
        return sum(int(entry.get("urls", 0)) for entry in self.lists)

    @property
    def waiting(self) -> int:
        """URLs that are still to be asked for, as far as one can know."""
        if self.lists_fetched == len(self.lists):
            return 0
        told: int = sum(state.get("left", 0) for state in self.live.values())
        silent = [
            entry for entry in self.lists if entry["list"] not in self.live and not entry["done"]
        ]
        # A list of which nothing is told: it waits for a slot, or its attempt was killed.
        return told + sum(max(int(e.get("urls", 0)) - int(e["fetched"]), 0) for e in silent)

    @property
    def asked(self) -> int:
        """URLs that have an answer."""
        return sum(self.counts[status] for status in FetchStatus)

    @property
    def failed(self) -> int:
        """URLs whose answer is that they are not to be had."""
        return sum(self.counts[status] for status in FAILED)

    def as_dict(self) -> dict[str, Any]:
        """Plain data for the page."""
        return {
            "depth": self.claim.depth,
            "redo": self.claim.redo,
            "segment": self.segment.name,
            "state": self.state,
            "made": self.claim.now,
            "generated": self.generated,
            "hosts": sum(entry.get("hosts", 0) for entry in self.lists),
            "lists": len(self.lists),
            "lists_fetched": self.lists_fetched,
            "lists_parsed": self.lists_parsed,
            "expected_s": max((entry.get("expected_s", 0.0) for entry in self.lists), default=0.0),
            "counts": dict(self.counts),
            "parsed": dict(self.parsed),
            "waiting": self.waiting,
        }


def depths_of(found: RunCrawl, session: Session) -> list[Depth]:
    """The depths of a run that have a segment."""
    folded = set(found.crawl.table("crawldb").current().segments)
    there = set(found.segments)
    depths = [_begun(found, claim) for claim in found.claims if claim.segment in there]
    _count_open(session, [depth for depth in depths if depth.lists_fetched < len(depth.lists)])
    for depth in depths:
        depth.state = _state(depth, depth.segment.name in folded)
    return depths


def _begun(found: RunCrawl, claim: Claim) -> Depth:
    """A depth with the counts of its finished lists."""
    segment = found.crawl.segment(claim.segment)
    lists: list[dict[str, Any]] = []
    depth = Depth(claim, segment, lists)
    for entry in segment.info()["lists"]:
        fetched = segment.done("fetch", entry["list"])
        lists.append({**entry, "done": fetched is not None, "fetched": 0})
        if fetched is not None:
            depth.lists_fetched += 1
            depth.counts.update(fetched.get("counts", {}))
            parsed = segment.done("parse", entry["list"])
            depth.lists_parsed += parsed is not None
            depth.parsed.update((parsed or {}).get("counts", {}))
    for name in NOT_PAGES:
        depth.parsed.pop(name, None)
    if depth.lists_fetched < len(lists):
        live = running(found.crawl.files, segment.name)
        depth.live = {n: state for n, state in live.items() if segment.done("fetch", n) is None}
    return depth


def _count_open(session: Session, depths: Sequence[Depth]) -> None:
    """Rows that unfinished lists have written so far, and what their running fetches tell."""
    by_name = {depth.segment.name: depth for depth in depths}
    if not by_name:
        return
    select = part_select(session, (depth.segment for depth in depths), "crawl_fetch")
    session.bind_select("crawl_fetch", select)
    for row in session.rows("web_fetched"):
        depth = by_name[row["segment"]]
        entry = next((e for e in depth.lists if e["list"] == row["list"]), None)
        if entry is None or entry["done"]:
            continue
        told = depth.live.get(row["list"])
        if told is None or told.get("attempt") != row["attempt"]:
            depth.counts[row["fetch_status"]] += row["urls"]
            entry["fetched"] += row["urls"]
    for depth in depths:
        for told in depth.live.values():
            depth.counts.update(told.get("counts", {}))


def _state(depth: Depth, folded: bool) -> str:
    if folded:
        return "folded"
    if depth.lists_parsed == len(depth.lists):
        return "parsed"
    if depth.lists_fetched == len(depth.lists):
        return "fetched"
    begun = depth.live or depth.counts or depth.lists_fetched
    return "fetching" if begun else "generated"


def expected_end_s(depth: Depth, now: datetime) -> float | None:
    """Seconds until the running fetches of a depth have asked for all, at the pace they have.

    Not less than the slowest host takes by its delay; None while there is nothing to go by.
    """
    longest = 0.0
    for told in depth.live.values():
        left, rate = told.get("left", 0), told.get("rate", 0.0)
        if left and not rate:
            return None
        seconds = max(left / rate if left else 0.0, told.get("hosts", {}).get("longest_s", 0.0))
        longest = max(longest, seconds - (now - told["time"]).total_seconds())
    return max(longest, 0.0) if depth.live else None
