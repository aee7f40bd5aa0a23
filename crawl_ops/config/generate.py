"""Properties of generate and of the fetch lists."""

from typing import Literal

from pydantic import Field

from crawl_ops.config.group import INTEGER_MAX, Group
from crawl_ops.model import DbStatus


class Generate(Group):
    """Which due URLs become a segment."""

    prefix = "generate"

    topn: int = Field(
        50_000,
        ge=-1,
        alias="generate.topN",
        le=INTEGER_MAX,
        description="URLs of one segment at most; -1: all that are due.",
    )
    max_count: int = Field(
        -1,
        ge=-1,
        le=INTEGER_MAX,
        description="URLs of one host or domain in a segment at most; -1: no limit.",
    )
    count_mode: Literal["host", "domain"] = Field(
        "host", description="What generate.max.count counts."
    )
    update_crawldb: bool = Field(
        True, description="Kept for Nutch's users; an open segment always marks its URLs."
    )
    min_score: float = Field(
        0.0, ge=-1e30, le=1e30, description="URLs of a lower sort value are left out."
    )
    min_interval: int = Field(
        -1,
        ge=-1,
        le=INTEGER_MAX,
        description="URLs with a longer interval (seconds) are left out; -1: off. The name is "
        "Nutch's.",
    )
    restrict_status: str = Field(
        "",
        pattern=f"^({'|'.join(DbStatus)})?$",
        description="Only URLs of this status, as in db_unfetched.",
    )
    filter: bool = Field(True, description="Ask the URL filters again.")
    num_fetchers: int = Field(
        2, ge=1, le=1000, description="Fetch lists of a segment (ours; Nutch's -numFetchers)."
    )


class Partition(Group):
    """How URLs are spread over fetch lists."""

    prefix = "partition"

    url_mode: Literal["byHost", "byDomain", "byIP"] = Field(
        "byHost", description="What stays together in one fetch list."
    )


class Crawl(Group):
    """The cycle as a whole."""

    prefix = "crawl"

    gen_delay: int = Field(
        604_800_000,
        ge=0,
        le=3_153_600_000_000,
        description="Milliseconds for which a generated and not yet folded segment blocks its URLs "
        "(7 days).",
    )
    max_depth: int = Field(
        10, ge=1, le=100, description="Depths that the DAG is built with (ours)."
    )
    segments_kept: int = Field(
        10, ge=0, le=1_000_000, description="Newest segments that retention keeps (ours)."
    )
    segments_kept_days: float = Field(
        30.0, ge=0, le=36_500, description="Days for which retention keeps every segment (ours)."
    )
    segments_merge_days: float = Field(
        0.0,
        ge=0,
        le=36_500,
        description="Days after which finished segments are merged into one; 0: never (ours).",
    )
    check_pages_down: float = Field(
        0.3,
        ge=0,
        le=1,
        description="Share of the good pages that a run may lose before check finds fault (ours).",
    )
    check_errors_up: float = Field(
        0.2,
        ge=0,
        le=1,
        description="How much larger the share of failed fetches may be than in the run before "
        "(ours).",
    )
    check_hosts_lost: int = Field(
        0,
        ge=0,
        le=1_000_000,
        description="Hosts that may have answered before, and not once in this run (ours).",
    )
