"""Which segment a generate is to make: a new one, the one it began, or one that redoes others.

The rule of redo: a depth whose segment is folded into the crawldb is done again when it is asked
for again, unless "none" of it is wanted. When the depth before it was redone meanwhile, what that
led to belongs to this depth too.
"""

import logging
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.errors import NotFoundError, NotKeptError
from crawl_ops.jobs.generating.again import count_again, count_led_to
from crawl_ops.jobs.generating.wish import Again, Wish
from crawl_ops.storage.crawl_dir import CrawlDir
from crawl_ops.storage.manifest import Manifest
from crawl_ops.storage.runs import Claim, claim, claims, depths

log = logging.getLogger(__name__)


def open_segments(
    crawl: CrawlDir, config: CrawlConfig, manifest: Manifest, cur_time: datetime
) -> tuple[str, ...]:
    """Segments generated and not yet folded, and not older than crawl.gen.delay: the marks."""
    oldest = cur_time - timedelta(milliseconds=config.crawl.gen_delay)
    folded = set(manifest.segments)
    names = [name for name in crawl.segments() if name not in folded]
    return tuple(
        name
        for name in names
        if datetime.fromisoformat(crawl.segment(name).info()["created"]) > oldest
    )


def claimed(
    crawl: CrawlDir, config: CrawlConfig, manifest: Manifest, fresh: Claim, wish: Wish
) -> Claim:
    """What this call is to make. redo -1: nothing, the segment named is there and complete."""
    if not fresh.run_id or not fresh.depth:
        return again_of(crawl, manifest, wish.again, fresh) if wish.again else fresh
    earlier = claims(crawl.files, fresh.run_id, fresh.depth)
    if not earlier:
        first = again_of(crawl, manifest, wish.again, fresh) if wish.again else fresh
        return claim(crawl.files, first)
    last = earlier[-1]
    before = _redone_before(crawl, manifest, last)
    made = crawl.files.exists(f"segments/{last.segment}/segment.json")
    if last.segment not in manifest.segments and (made or before is None):
        return last
    folded = tuple(one.segment for one in earlier if one.segment in manifest.segments)
    again = replace(
        fresh,
        redo=last.redo + 1,
        of_segment=folded[-1] if folded else None,
        of_segments=folded if wish.redo != "none" else (),
        following=before,
        everything=wish.redo == "all",
    )
    if _is_nothing(crawl, config, manifest, again):
        return replace(last, redo=-1)
    return claim(crawl.files, again)


def again_of(crawl: CrawlDir, manifest: Manifest, again: Again, fresh: Claim) -> Claim:
    """`fresh` as a claim of what is to be asked for again.

    Raises NotFoundError for a run or depth that this crawl does not know, NotKeptError for one of
    which it keeps no segment.
    """
    wanted = depths(crawl.files, again.run_id) if again.depth is None else [again.depth]
    made = [one for depth in wanted for one in claims(crawl.files, again.run_id, depth)]
    if not made:
        depth = "" if again.depth is None else f" with a depth {again.depth}"
        raise NotFoundError(f"this crawl has no run {again.run_id!r}{depth}")
    there = set(crawl.segments())
    names = tuple(one.segment for one in made if one.segment in manifest.segments)
    kept = tuple(name for name in names if name in there)
    if not names:
        why = "its segments are not in the crawldb yet; clear the run instead"
        raise NotFoundError(f"run {again.run_id!r}: {why}")
    check_kept("redo", crawl, again.run_id, kept, [name for name in names if name not in there])
    return replace(
        fresh,
        of_segment=kept[-1],
        of_segments=kept,
        everything=again.everything,
        lists=again.lists,
        hosts=again.hosts,
    )


def check_kept(
    job: str, crawl: CrawlDir, run_id: str, kept: Sequence[str], gone: Sequence[str]
) -> None:
    """Tell of segments of a run that are gone. Raises NotKeptError if none is left."""
    if not gone:
        return
    why = crawl.why_gone(gone)
    if not kept:
        raise NotKeptError(f"run {run_id!r}: its segments {why}")
    log.warning("%s: run %r: some of its segments %s: %s", job, run_id, why, ", ".join(gone))


def _redone_before(crawl: CrawlDir, manifest: Manifest, last: Claim) -> str | None:
    """The folded segment that redid the depth before, after this depth was last claimed."""
    for one in reversed(claims(crawl.files, last.run_id, last.depth - 1)):
        if one.redo and one.now > last.now and one.segment in manifest.segments:
            return one.segment
    return None


def _is_nothing(crawl: CrawlDir, config: CrawlConfig, manifest: Manifest, wanted: Claim) -> bool:
    """Whether a redo would ask for no URL at all."""
    if not wanted.of_segments and wanted.following is None:
        return True
    with crawl.session(config) as session:
        if wanted.of_segments and count_again(session, crawl, manifest, wanted):
            return False
        return not (wanted.following and count_led_to(session, crawl, config, manifest, wanted))
