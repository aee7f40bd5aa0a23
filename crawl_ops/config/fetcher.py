"""Properties of the fetcher and its queues."""

from typing import Literal

from pydantic import Field

from crawl_ops.config.group import INTEGER_MAX, Group, Words


class Fetcher(Group):
    """Threads, queues and politeness."""

    prefix = "fetcher"

    server_delay: float = Field(
        5.0,
        ge=0,
        le=86_400,
        description="Seconds between the end of a request and the next one to the same queue.",
    )
    server_min_delay: float = Field(
        0.0, ge=0, le=86_400, description="The same, when fetcher.threads.per.queue is more than 1."
    )
    max_crawl_delay: float = Field(
        30.0,
        ge=-1,
        le=86_400,
        description="A robots Crawl-delay (seconds) above this skips the page; -1: never.",
    )
    min_crawl_delay: float | None = Field(
        None,
        ge=0,
        le=86_400,
        description="A robots Crawl-delay below this is raised to it; unset: fetcher.server.delay.",
    )
    threads_fetch: int = Field(10, ge=1, le=2000, description="Threads of one fetch.")
    threads_per_queue: int = Field(
        1, ge=1, le=1000, description="Requests at the same time to one queue."
    )
    queue_mode: Literal["byHost", "byDomain", "byIP"] = Field(
        "byHost", description="What a queue is."
    )
    store_content: bool = Field(True, description="Keep the bytes of pages.")
    timelimit_mins: float = Field(
        -1,
        ge=-1,
        le=5_256_000,
        description="Minutes after which no further URL is fetched; -1: no limit.",
    )
    max_exceptions_per_queue: int = Field(
        5,
        ge=-1,
        le=INTEGER_MAX,
        description="Exceptions after which a queue is emptied; -1: never.",
    )
    exceptions_per_queue_delay: float | None = Field(
        None,
        ge=0,
        le=86_400,
        description="Seconds added after an exception, doubled each time; unset: "
        "fetcher.server.delay.",
    )
    throughput_threshold_pages: float = Field(
        -1, ge=-1, le=1_000_000, description="Pages per second below which the fetch ends; -1: off."
    )
    throughput_threshold_retries: int = Field(
        5, ge=0, le=INTEGER_MAX, description="Misses of the threshold that are let pass."
    )
    throughput_threshold_check_after: float = Field(
        5.0, ge=0, le=5_256_000, description="Minutes before the threshold counts."
    )
    protocols: Words = Field(
        (), description="Protocols beside http and https, each as scheme=MODULE:CLASS (ours)."
    )
    part_bytes: int = Field(
        64 << 20,
        ge=1 << 10,
        le=4 << 30,
        description="Content bytes after which a part file is finished (ours).",
    )
    part_seconds: float = Field(
        30.0, gt=0, le=86_400, description="Seconds after which a part file is finished (ours)."
    )
