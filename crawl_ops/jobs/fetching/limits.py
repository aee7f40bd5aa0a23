"""When a fetch ends although there is more to ask for (Nutch rule 5.6)."""

from crawl_ops.config.properties import CrawlConfig

CHECK_S = 60.0


class Limits:
    """fetcher.timelimit.mins and fetcher.throughput.threshold.*. Times are monotonic seconds."""

    def __init__(self, config: CrawlConfig, started: float) -> None:
        fetcher = config.fetcher
        self.started = started
        self._ends = started + fetcher.timelimit_mins * 60 if fetcher.timelimit_mins >= 0 else None
        self._least = fetcher.throughput_threshold_pages
        self._misses_left = fetcher.throughput_threshold_retries
        self._next_check = started + fetcher.throughput_threshold_check_after * 60
        self._pages = 0

    def broken(self, now: float, pages: int) -> str | None:
        """The property that ends the fetch now, or None. `pages`: how many there are so far."""
        if self._ends is not None and now >= self._ends:
            return "fetcher.timelimit.mins"
        if self._least <= 0 or now < self._next_check:
            return None
        rate = (pages - self._pages) / CHECK_S
        self._next_check, self._pages = now + CHECK_S, pages
        if rate >= self._least:
            return None
        self._misses_left -= 1
        return "fetcher.throughput.threshold.pages" if self._misses_left < 0 else None
