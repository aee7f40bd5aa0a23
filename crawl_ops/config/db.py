"""Properties of the crawldb, the linkdb and the hostdb."""

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from crawl_ops.config.group import (
    INTEGER_MAX,
    SHORT_CLASS_NAME,
    ConfigFile,
    Group,
    Words,
    split_words,
)


class Db(Group):
    """How URLs enter the crawldb, when they are due again, and which links count."""

    prefix = "db"

    fetch_interval_default: int = Field(
        2_592_000,
        ge=0,
        le=INTEGER_MAX,
        description="Seconds between two fetches of a page (30 days).",
    )
    fetch_interval_max: int = Field(
        7_776_000,
        ge=1,
        le=INTEGER_MAX,
        description="Longest interval in seconds (90 days); after it everything is tried again.",
    )
    fetch_retry_max: int = Field(
        3, ge=1, le=1000, description="Failed tries in a row after which a URL is db_gone."
    )
    fetch_schedule_class: Annotated[
        Literal["DefaultFetchSchedule", "AdaptiveFetchSchedule"], SHORT_CLASS_NAME
    ] = Field("DefaultFetchSchedule", description="DefaultFetchSchedule or AdaptiveFetchSchedule.")
    adaptive_inc_rate: float = Field(
        0.4,
        ge=0,
        le=10,
        alias="db.fetch.schedule.adaptive.inc_rate",
        description="How much the interval of an unchanged page grows.",
    )
    adaptive_dec_rate: float = Field(
        0.2,
        ge=0,
        lt=1,
        alias="db.fetch.schedule.adaptive.dec_rate",
        description="How much the interval of a changed page shrinks.",
    )
    adaptive_min_interval: float = Field(
        60.0,
        ge=0,
        alias="db.fetch.schedule.adaptive.min_interval",
        le=INTEGER_MAX,
        description="Shortest interval in seconds.",
    )
    adaptive_max_interval: float = Field(
        31_536_000.0,
        ge=1,
        alias="db.fetch.schedule.adaptive.max_interval",
        le=INTEGER_MAX,
        description="Longest interval in seconds.",
    )
    adaptive_sync_delta: bool = Field(
        True,
        alias="db.fetch.schedule.adaptive.sync_delta",
        description="Move the next fetch towards the time of change.",
    )
    adaptive_sync_delta_rate: float = Field(
        0.3,
        ge=0,
        le=1,
        alias="db.fetch.schedule.adaptive.sync_delta_rate",
        description="Share of the gap that is moved.",
    )
    update_additions_allowed: bool = Field(
        True, description="Whether updatedb adds URLs found by links."
    )
    update_purge_404: bool = Field(False, description="Drop db_gone records.")
    update_purge_orphans: bool = Field(False, description="Drop db_orphan records.")
    update_max_inlinks: int = Field(
        10_000,
        ge=1,
        le=INTEGER_MAX,
        description="Links to one URL that updatedb looks at, best scores first.",
    )
    ignore_internal_links: bool = Field(False, description="Drop links inside a site.")
    ignore_external_links: bool = Field(
        False, description="Stay on the site: drop links that leave it."
    )
    ignore_external_links_mode: Literal["byHost", "byDomain"] = Field(
        "byHost", description="What a site is: a host, or a registered domain."
    )
    ignore_external_exemptions_file: ConfigFile = Field(
        None,
        description="Rules +REGEX and -REGEX: links that may leave the host all the same (mode "
        "byHost).",
    )
    ignore_also_redirects: bool = Field(
        True, description="Redirects obey the two properties before."
    )
    score_injected: float = Field(1.0, ge=-1e30, le=1e30, description="Score of a seed.")
    score_link_external: float = Field(
        1.0, ge=-1e30, le=1e30, description="OPIC: factor for links to other hosts."
    )
    score_link_internal: float = Field(
        1.0, ge=-1e30, le=1e30, description="OPIC: factor for links inside a host."
    )
    score_count_filtered: bool = Field(
        False, description="OPIC: divide by all links found, not only by those kept."
    )
    max_outlinks_per_page: int = Field(
        100, ge=-1, le=INTEGER_MAX, description="Links kept of one page; -1: all."
    )
    max_outlink_length: int = Field(
        4096, ge=1, le=INTEGER_MAX, description="Longer URLs are dropped."
    )
    parsemeta_to_crawldb: Words = Field(
        (), description="Keys of parse metadata that are copied into the crawldb."
    )
    signature_class: Annotated[
        Literal["MD5Signature", "TextMD5Signature", "TextProfileSignature"], SHORT_CLASS_NAME
    ] = Field("MD5Signature", description="MD5Signature, TextMD5Signature or TextProfileSignature.")
    text_profile_min_token_len: int = Field(
        2,
        ge=0,
        alias="db.signature.text_profile.min_token_len",
        le=INTEGER_MAX,
        description="Tokens must be longer than this.",
    )
    text_profile_quant_rate: float = Field(
        0.01,
        ge=0,
        le=1,
        alias="db.signature.text_profile.quant_rate",
        description="How coarsely token counts are rounded.",
    )
    versions_kept: int = Field(
        10,
        ge=1,
        le=INTEGER_MAX,
        description="Versions of a table that vacuum keeps (ours, not Nutch's).",
    )
    versions_kept_hours: float = Field(
        24.0, ge=0, le=876_000, description="Hours for which vacuum keeps every version (ours)."
    )
    bucket_rows: int = Field(
        3_000_000,
        ge=1000,
        le=INTEGER_MAX,
        description="Rows of a bucket beyond which the bucket count is doubled (ours).",
    )
    deltas_max: int = Field(
        8,
        ge=0,
        le=1000,
        description="Small rounds laid over a table before it is written anew; 0: none (ours).",
    )
    deltas_rows: int = Field(
        100_000,
        ge=0,
        le=INTEGER_MAX,
        description="Rows of a table from which on a small round is laid over it (ours).",
    )
    fsync: bool = Field(
        True, description="Bring every file to the disk before it is committed (ours)."
    )


class Linkdb(Group):
    """Which links the linkdb keeps."""

    prefix = "linkdb"

    max_inlinks: int = Field(10_000, ge=1, le=INTEGER_MAX, description="Links kept for one URL.")
    ignore_internal_links: bool = Field(True, description="Leave out links inside a host.")
    ignore_external_links: bool = Field(False, description="Leave out links between hosts.")
    max_anchor_length: int = Field(100, ge=0, le=INTEGER_MAX, description="Longer anchors are cut.")


class Scoring(Group):
    """Scoring of pages and links."""

    prefix = "scoring"

    filter_order: Words = Field(("opic",), description="Scoring in use: opic, depth.")
    depth_max: int = Field(
        1000,
        ge=1,
        le=INTEGER_MAX,
        description="scoring-depth: links from a seed that are followed.",
    )


class Dedup(Group):
    """Which of several pages of one signature stays."""

    prefix = "deduplication"

    group_mode: Literal["none", "host", "domain"] = Field(
        "none", description="Compare all pages, or only those of one host or domain."
    )
    compare_order: Annotated[
        tuple[Literal["score", "fetchTime", "httpsOverHttp", "urlLength"], ...],
        BeforeValidator(split_words),
    ] = Field(
        ("score", "fetchTime", "urlLength"),
        min_length=1,
        max_length=4,
        description="Criteria in order: score, fetchTime, httpsOverHttp, urlLength.",
    )


class DuckDb(Group):
    """Limits of the database engine inside a job."""

    prefix = "duckdb"

    memory_limit: str = Field(
        "1GB",
        alias="duckdb.memory_limit",
        pattern=r"^\d+(\.\d+)?\s*(MB|GB|MiB|GiB)$",
        description="Memory of one job's SQL.",
    )
    threads: int = Field(2, ge=1, le=256, description="Threads of one job's SQL.")
    max_temp_directory_size: str = Field(
        "20GB",
        alias="duckdb.max_temp_directory_size",
        pattern=r"^\d+(\.\d+)?\s*(MB|GB|TB|MiB|GiB|TiB)$",
        description="Disk that spilling may use.",
    )
