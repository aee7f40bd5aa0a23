"""The state of one request: limits in, observations out."""

from time import monotonic


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
    """The time for the whole page (http.time.limit) is over."""


class Exchange:
    """One request: target as sent, limits in seconds and bytes, and what was seen.

    `headers` are those of the answer in order, `fields` their values by name in lower case.
    """

    __slots__ = (
        "chunked",
        "deadline",
        "fields",
        "header_limit",
        "headers",
        "ip_address",
        "received",
        "reused",
        "target",
        "time_limit_s",
        "timeout_s",
        "transfer_codings",
    )

    def __init__(
        self, target: str, *, timeout_s: float, time_limit_s: float, header_limit: int
    ) -> None:
        self.target = target
        self.timeout_s = timeout_s
        self.time_limit_s = time_limit_s
        self.deadline = monotonic() + time_limit_s
        self.header_limit = header_limit
        self.headers: list[tuple[bytes, bytes]] = []
        self.fields: dict[bytes, list[bytes]] = {}
        self.transfer_codings: list[str] = []
        self.ip_address: str | None = None
        self.reused = False
        self.chunked = False
        self.received = 0

    def step_s(self) -> float:
        """Seconds that the next blocking step may take; raises TimeLimitError when over."""
        left = self.deadline - monotonic()
        if left <= 0:
            raise self.over()
        return min(left, self.timeout_s)

    def hurry(self) -> None:
        """From here on, what is read is not kept: no longer than one http.timeout."""
        self.deadline = min(self.deadline, monotonic() + self.timeout_s)

    def over(self) -> TimeLimitError:
        return TimeLimitError(f"time limit: {self.time_limit_s:g} s for one page are over")
