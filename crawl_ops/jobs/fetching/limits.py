"""When a fetch ends although there is more to ask for (Nutch rule 5.6)."""

import math

from crawl_ops.config.properties import CrawlConfig

CHECK_S = 60.0


class Limits:
    """fetcher.timelimit.mins and fetcher.throughput.threshold.*. Times are monotonic seconds.

    ends: when the time limit ends the fetch.
    """

    def __init__(self, config: CrawlConfig, started: float) -> None:
        fetcher = config.fetcher
        self.started = started
        minutes = fetcher.timelimit_mins
        self.ends = started + minutes * 60 if minutes >= 0 else math.inf
        self._least = fetcher.throughput_threshold_pages
        self._misses_left = fetcher.throughput_threshold_retries
        self._since = started + fetcher.throughput_threshold_check_after * 60
        self._pages: int | None = None
        self._broken: str | None = None

    def broken(self, now: float, pages: int) -> str | None:
        """The property that has ended the fetch, or None. `pages`: how many there are so far."""
        if self._broken is None:
            if now >= self.ends:
                self._broken = "fetcher.timelimit.mins"
            elif self._least > 0 and self._is_slow(now, pages):
                self._broken = "fetcher.throughput.threshold.pages"
        return self._broken

    def _is_slow(self, now: float, pages: int) -> bool:
        """Whether the threshold was missed once too often; looked at once a CHECK_S."""
        if self._pages is None:
            if now >= self._since:
                self._since, self._pages = now, pages
            return False
        if now - self._since < CHECK_S:
            return False
        rate = (pages - self._pages) / (now - self._since)
        self._since, self._pages = now, pages
        self._misses_left -= rate < self._least
        return self._misses_left < 0
