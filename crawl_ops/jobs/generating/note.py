"""Why generate selected nothing, or left out what others hold, in one line."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.errors import NotFoundError
from crawl_ops.storage.crawl_dir import CrawlDir

HOLDERS_TOLD = 5
HELD = "in_open_segment"
COUNTED = frozenset({"candidates", "selected", "again"})  # what speaks for URLs
WORDS = {
    "not_due": "not due yet",
    "unknown_scheme": "of a scheme that nothing fetches",
    "urlfilter": "refused by the URL filters",
}


def holders(crawl: CrawlDir, names: Iterable[str]) -> list[dict[str, Any]]:
    """Open segments with the runs that they are of: [{"segment", "run_id"}]."""
    found = []
    for name in names:
        try:
            run_id = crawl.segment(name).info().get("run_id")
        except NotFoundError:  # removed since
            continue
        found.append({"segment": name, "run_id": run_id})
    return found


def held(counts: Mapping[str, int], holding: Sequence[Mapping[str, Any]]) -> str | None:
    """Who holds URLs that are due; None if nobody does."""
    if not counts.get(HELD) or not holding:
        return None
    told = ", ".join(
        f"{one['segment']} of run {one['run_id']}" if one["run_id"] else str(one["segment"])
        for one in holding[:HOLDERS_TOLD]
    )
    more = len(holding) - HOLDERS_TOLD
    return (
        f"{_urls(counts[HELD])} due and not selected: in open segment{'s'[: len(holding) - 1]}"
        f" {told}{f' and {more} more' if more > 0 else ''}"
    )


def nothing(
    counts: Mapping[str, int], holding: Sequence[Mapping[str, Any]], config: CrawlConfig
) -> str:
    """Why nothing at all was selected."""
    if by_others := held(counts, holding):
        hours = config.crawl.gen_delay / 3_600_000
        return f"nothing to fetch: {by_others}, until updatedb has it or {hours:g} hours are over"
    why = [
        f"{_urls(n)} {WORDS.get(rule, f'left out by {rule}')}"
        for rule, n in counts.items()
        if n and rule not in COUNTED
    ]
    return f"nothing to fetch: {', '.join(why) or 'no URL is due'}"


def _urls(n: int) -> str:
    return f"{n:,} URL is" if n == 1 else f"{n:,} URLs are"
