"""The state of one request while its thread is inside requests: limits in, observations out.

requests and urllib3 have no place to hand a deadline down to the socket, so the exchange of the
running request is kept per thread; connection and response classes look it up there.
"""

import threading
from time import monotonic
from typing import Protocol


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


class Socket(Protocol):
    """What a reader needs of a socket, plain or TLS."""

    def settimeout(self, value: float | None, /) -> None: ...


class Exchange:
    """One request: target as sent, limits in seconds and bytes, and what was seen."""

    __slots__ = (
        "chunked",
        "deadline",
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


class _Current(threading.local):
    exchange: Exchange | None = None


_current = _Current()


def enter(exchange: Exchange | None) -> None:
    """Make `exchange` the one that this thread is in."""
    _current.exchange = exchange


def current() -> Exchange:
    """The exchange of this thread."""
    exchange = _current.exchange
    if exchange is None:
        raise ExchangeError("no request is running in this thread")
    return exchange
