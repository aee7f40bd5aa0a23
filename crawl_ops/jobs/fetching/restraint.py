"""How long a site is waited for that asks for it, and when it is left for this round."""

from datetime import datetime, timedelta
from typing import NamedTuple

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.protocol.answer import Answer
from crawl_ops.protocol.robots import RobotsAnswer

RETRY_AFTER = "http.retry.after.max"
DEFERRED = "robots.txt deferred"
WAITS_MOST = 3


class Rest(NamedTuple):
    """Seconds to wait, or why the site is left for this round."""

    seconds: float = 0.0
    leave: str | None = None


class Restraint:
    """Counts how often a site asked to wait: robots.txt deferred, by origin; Retry-After."""

    def __init__(self, config: CrawlConfig) -> None:
        self._http = config.http
        self._deferred: dict[str, int] = {}
        self._waits: dict[str, tuple[int, float]] = {}

    def deferred(self, robots: RobotsAnswer, now: datetime) -> Rest:
        """Until robots.txt may be asked for again (RFC 9309 §2.3.1.4, Nutch rule 5.2)."""
        asked = self._deferred.get(robots.origin, 0) + robots.fetched
        self._deferred[robots.origin] = asked
        reason = robots.reason or "robots.txt cannot be had"
        if asked > self._http.robots_503_defer_visits_retries:
            return Rest(leave=f"{reason}; asked {asked} times")
        usual = self._http.robots_503_defer_visits_delay / 1000
        rest = max(0.0, ((robots.retry_at or now) - now) / timedelta(seconds=1))
        if rest > max(usual, self._http.retry_after_max):
            return Rest(leave=f"{reason}; Retry-After {rest:.0f} s")
        return Rest(rest)

    def asked_to_wait(self, queue_id: str, answer: Answer, ended: float) -> Rest | None:
        """Until a URL is asked for again whose answer says Retry-After; None if it does not."""
        seconds = answer.retry_after_s
        if seconds is None or answer.http_status not in (429, 503):
            if answer.http_status is not None and answer.http_status < 500:
                self._waits.pop(queue_id, None)
            return None
        longest = self._http.retry_after_max
        if seconds > longest:
            return Rest(leave=f"Retry-After {seconds:.0f} s is above {longest}")
        waits, until = self._waits.get(queue_id, (0, 0.0))
        if ended >= until:  # several requests at once that are told to wait are told it once
            waits += 1
        self._waits[queue_id] = waits, max(until, ended + seconds)
        if waits > WAITS_MOST:
            return Rest(leave=f"Retry-After {waits} times, one after the other")
        return Rest(seconds)
