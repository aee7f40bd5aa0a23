"""Writing fetch lists: hosts dealt out by expected time, URLs of hosts interleaved."""

import math
from collections.abc import Sequence
from datetime import datetime

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.jobs.fetch_lists import HostLoad
from crawl_ops.jobs.generating.best import by_score_alone
from crawl_ops.storage.crawl_dir import CrawlDir
from crawl_ops.storage.manifest import Bucket
from crawl_ops.storage.runs import Claim
from crawl_ops.storage.segment import Segment
from crawl_ops.storage.session import Session


def loads_of(session: Session, crawl: CrawlDir, config: CrawlConfig) -> list[HostLoad]:
    """What each host (or domain) of `selected` will cost."""
    hostdb = crawl.table("hostdb").current()
    session.bind_table("hostdb", hostdb)
    batches = session.batches(
        "generate_loads",
        by_domain=config.partition.url_mode == "byDomain",
        delay=config.fetcher.server_delay,
    )
    return [
        HostLoad(row["key"], row["urls"], row["hosts"], row["expected_s"])
        for batch in batches
        for row in batch
    ]


def write_lists(
    session: Session,
    config: CrawlConfig,
    buckets: Sequence[Bucket],
    segment: Segment,
    taken: Claim,
    lists: Sequence[Sequence[HostLoad]],
) -> None:
    """Write the part crawl_generate, a file a list, and what the filters refused."""
    session.bind_columns(
        "host_lists",
        key=[load.key for loads in lists for load in loads],
        list=[number for number, loads in enumerate(lists) for _ in loads],
    )
    session.create("placed", "generate_place", by_domain=config.partition.url_mode == "byDomain")
    session.drop("emitted")
    lowest = session.rows("generate_cut")
    # What is asked for again was selected by the score that it had then.
    known = lowest and not taken.of_segments and by_score_alone(config)
    for bucket in buckets:
        session.bind_bucket("crawldb", "crawldb", bucket)
        session.append(
            "emitted",
            "generate_emit",
            interval_max=config.db.fetch_interval_max,
            cur_time=datetime.fromisoformat(taken.cur_time),
            least=lowest[0]["sort_value"] if known else -math.inf,
        )
    for number in range(len(lists)):
        path = f"{segment.folder}/crawl_generate/list-{number:03}/list.0000.parquet"
        session.copy("generate", "crawl_generate", path, list=number)
    refused = session.rows("generate_refused")
    segment.write_part("rejected", 0, "generate.0000", refused)
