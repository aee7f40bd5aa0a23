"""Writing fetch lists: hosts dealt out by expected time, URLs of hosts interleaved."""

import math
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.jobs.fetch_lists import HostLoads, ListLoad
from crawl_ops.jobs.generating.best import by_score_alone
from crawl_ops.storage.crawl_dir import CrawlDir
from crawl_ops.storage.manifest import Bucket
from crawl_ops.storage.merged import in_one_file
from crawl_ops.storage.runs import Claim
from crawl_ops.storage.segment import Segment
from crawl_ops.storage.session import Session

PIECE_ROWS = 100_000
"""Rows of a list that are sorted at once, and stand in a file of their own."""


def loads_of(session: Session, crawl: CrawlDir, config: CrawlConfig) -> HostLoads:
    """What each host (or domain) of `selected` will cost."""
    hostdb = crawl.table("hostdb").current()
    session.bind_table("hostdb", hostdb)
    columns = session.columns(
        "generate_loads", **_by_domain(config), delay=config.fetcher.server_delay
    )
    return HostLoads(**columns)


def write_lists(
    session: Session,
    config: CrawlConfig,
    buckets: Sequence[Bucket],
    segment: Segment,
    taken: Claim,
    lists: Sequence[ListLoad],
) -> dict[str, Any] | None:
    """Write the part crawl_generate, and what the filters refused. Returns the lowest URL."""
    session.bind_columns(
        "host_lists",
        key=[key for load in lists for key in load.keys],
        list=[number for number, load in enumerate(lists) for _ in load.keys],
    )
    dealt = "generate_dealt" if _placed(config, taken) else "generate_dealt_by_row"
    session.create("dealt", dealt, **_by_domain(config))
    session.drop("selected")
    session.drop("host_lists")
    session.bind_spooled("emitted", _emitting(session, config, buckets, taken))
    session.drop("dealt")
    for number in range(len(lists)):
        folder = f"{segment.folder}/crawl_generate/list-{number:03}"
        written = 0
        for piece, bounds in enumerate(_pieces(session, number)):
            path = f"{folder}/list.{piece:04}.parquet"
            given = {**bounds, "list": number, "position": written}
            written += session.copy("generate", "crawl_generate", path, **given)[0]
    refused = session.rows("generate_refused")
    segment.write_part("rejected", 0, "generate.0000", refused)
    found = session.rows("generate_cut")
    return found[0] if found else None


def _emitting(
    session: Session, config: CrawlConfig, buckets: Sequence[Bucket], taken: Claim
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The SELECTs of what goes into the lists, bucket by bucket."""
    lowest = session.rows("generate_least")[0]["sort_value"]
    placed = _placed(config, taken)
    # What is asked for again was selected by the score that it had then.
    known = lowest is not None and not taken.of_segments and by_score_alone(config)
    given = {
        "interval_max": config.db.fetch_interval_max,
        "cur_time": datetime.fromisoformat(taken.cur_time),
        "least": lowest if known else -math.inf,
    }
    for bucket in buckets:
        session.bind_bucket("crawldb", "crawldb", bucket)
        told = placed or (_all_due(taken) and in_one_file(bucket))
        session.define("places/told" if told else "places/by_url")
        yield "generate_emit", {**given, "lo": bucket.lo, "hi": bucket.hi}


def _placed(config: CrawlConfig, taken: Claim) -> bool:
    """Whether generate.max.count has given all selected URLs their places among those of a host."""
    counted = config.generate.max_count >= 0 and config.generate.count_mode == "host"
    return counted and _all_due(taken)


def _all_due(taken: Claim) -> bool:
    """Whether the selected are the best of what is due, none left out and none asked for again."""
    return taken.of_segment is None and taken.following is None and not taken.of_segments


def _pieces(session: Session, number: int) -> Iterator[dict[str, Any]]:
    """Bounds of the pieces of a list: some ranks of all hosts, or one rank of some hosts."""
    found = session.rows("generate_ranks", list=number)
    ranks = [(row["rank_in_host"], row["n"]) for row in found]
    first, held = ranks[0][0] if ranks else 1, 0
    for rank, n in ranks:
        if held and held + n > PIECE_ROWS:
            yield {"first_rank": first, "last_rank": rank - 1, "after": None, "last": None}
            first, held = rank, 0
        if n > PIECE_ROWS:
            runs = session.rows("generate_rank_hosts", rank=rank, rows=PIECE_ROWS, list=number)
            after = None
            for run in runs:
                yield {
                    "first_rank": rank,
                    "last_rank": rank,
                    "after": after,
                    "last": run["last"],
                }
                after = run["last"]
            first = rank + 1
        else:
            held += n
    if held:
        yield {"first_rank": first, "last_rank": ranks[-1][0], "after": None, "last": None}


def _by_domain(config: CrawlConfig) -> dict[str, bool]:
    return {"by_domain": config.partition.url_mode == "byDomain"}
