"""The state of one request: limits in, observations out."""

from time import monotonic

TOO_SLOW = "too slow"


class ExchangeError(Exception):
    """A request that came to nothing, with the reason for people. Never leaves the room.

    `stale` says that a kept connection died before the first byte of the answer, so that asking
    again on a new one is safe (RFC 9112 §9.3.1).
    """

    def __init__(self, reason: str, *, stale: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.stale = stale


class TimeLimitError(ExchangeError):
    """The page has taken too long: http.time.limit, or http.min.throughput."""


class Exchange:
    """One request: target as sent, limits in seconds and bytes, and what was seen.

    `least_rate`: bytes per second that the answer must bring from `least_after_s` on.
    `headers` are those of the answer in order, `fields` their values by name in lower case.
    """

    __slots__ = (
        "chunked",
        "deadline",
        "fields",
        "first",
        "header_limit",
        "headers",
        "ip_address",
        "least_after_s",
        "least_rate",
        "received",
        "reused",
        "target",
        "time_limit_s",
        "timeout_s",
        "transfer_codings",
    )

    def __init__(
        self,
        target: str,
        *,
        timeout_s: float,
        time_limit_s: float,
        header_limit: int,
        least_rate: float = 0.0,
        least_after_s: float = 0.0,
    ) -> None:
        self.target = target
        self.timeout_s = timeout_s
        self.time_limit_s = time_limit_s
        self.deadline = monotonic() + time_limit_s
        self.header_limit = header_limit
        self.least_rate = least_rate
        self.least_after_s = least_after_s
        self.first = 0.0  # monotonic seconds when the answer began to come
        self.headers: list[tuple[bytes, bytes]] = []
        self.fields: dict[bytes, list[bytes]] = {}
        self.transfer_codings: list[str] = []
        self.ip_address: str | None = None
        self.reused = False
        self.chunked = False
        self.received = 0

    def step_s(self) -> float:
        """Seconds that the next blocking step may take; raises TimeLimitError when over."""
        now = monotonic()
        left = self.deadline - now
        if left <= 0:
            raise self.over()
        if self.received:
            self._keep_pace(now)
        return min(left, self.timeout_s)

    def _keep_pace(self, now: float) -> None:
        """A page that drips would hold its host and a thread for all of http.time.limit."""
        if not self.first:
            self.first = now
        spent = now - self.first
        if spent > self.least_after_s and self.received < self.least_rate * spent:
            raise TimeLimitError(
                f"{TOO_SLOW}: {self.received} bytes in {spent:.0f} s, less than"
                f" {self.least_rate:g} a second (http.min.throughput)"
            )

    def hurry(self) -> None:
        """From here on, what is read is not kept: no longer than one http.timeout."""
        self.deadline = min(self.deadline, monotonic() + self.timeout_s)

    def over(self) -> TimeLimitError:
        return TimeLimitError(f"time limit: {self.time_limit_s:g} s for one page are over")
