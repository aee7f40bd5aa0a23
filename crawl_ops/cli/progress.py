"""How far a long verb is: a live line on a terminal, log lines elsewhere. Standard error only."""

import logging
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Protocol

from crawl_ops.cli.invocation import now
from crawl_ops.cli.logs import at_least_info

if TYPE_CHECKING:
    from rich.status import Status

logger = logging.getLogger(__name__)


class ProgressView(Protocol):
    """Where progress is shown."""

    def stage(self, what: str, ends: datetime | None = None) -> None:
        """A new step begins; `ends` is when it is expected to be over."""

    def line(self, text: str) -> None:
        """How far the step is."""

    def done(self, text: str) -> None:
        """A job's report, in a line that stays."""

    def note(self, text: str) -> None:
        """Something to know, in a line that stays."""


LOG_SECONDS = 10.0


class LogProgress:
    """Plain log lines; how far a step is, every ten seconds at most."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._last = clock() - LOG_SECONDS

    def stage(self, what: str, ends: datetime | None = None) -> None:
        logger.info("%s%s", what, _until(ends, now()))

    def line(self, text: str) -> None:
        if self._clock() - self._last >= LOG_SECONDS:
            self._last = self._clock()
            logger.info("%s", text)

    def done(self, text: str) -> None:
        logger.debug("%s", text)  # the job has logged its report itself

    def note(self, text: str) -> None:
        logger.info("%s", text)


class LiveProgress:
    """One line that changes, on the terminal behind standard error."""

    def __init__(self, status: "Status", clock: Callable[[], datetime] = now) -> None:
        self._clock = clock
        self._status = status
        self._stage = ""
        self._ends: datetime | None = None

    def stage(self, what: str, ends: datetime | None = None) -> None:
        self._stage, self._ends = what, ends
        self._show(what + _until(ends, self._clock()))

    def line(self, text: str) -> None:
        self._show(f"{self._stage}{_until(self._ends, self._clock())} | {text}")

    def done(self, text: str) -> None:
        from rich.text import Text

        self._status.console.print(Text(text))

    def note(self, text: str) -> None:
        self.done(text)

    def _show(self, text: str) -> None:
        from rich.text import Text

        self._status.update(Text(text))


@contextmanager
def progress_view() -> Iterator[ProgressView]:
    """The view that fits standard error."""
    if not sys.stderr.isatty():
        at_least_info()
        yield LogProgress()
        return
    from rich.console import Console

    with Console(stderr=True).status("") as status:
        yield LiveProgress(status)


def expected_end(lists: Sequence[Mapping[str, Any]], now: datetime) -> datetime | None:
    """When the slowest fetch list of a segment should be through (expected_s of generate)."""
    seconds = max((float(one.get("expected_s") or 0) for one in lists), default=0.0)
    return now + timedelta(seconds=min(seconds, 1e9)) if seconds else None


def _until(ends: datetime | None, at: datetime) -> str:
    """An end in whole seconds; nothing where it is over, or as good as now."""
    if ends is None or ends <= at + timedelta(seconds=1):
        return ""
    return f" (expected end {ends.astimezone():%H:%M:%S})"
