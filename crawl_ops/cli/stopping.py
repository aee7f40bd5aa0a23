"""Ctrl-C and SIGTERM as an event that jobs look at, so that they end in good order."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FrameType

from crawl_ops.jobs.stop_event import StopEvent

SIGNALS = (signal.SIGINT, signal.SIGTERM)


@dataclass(slots=True)
class Stop:
    """Whether to stop, and because of which signal."""

    event: StopEvent = field(default_factory=StopEvent)
    signal_number: int = 0

    @property
    def exit_code(self) -> int:
        """128 and the signal's number, as shells have it; 0 when nobody asked to stop."""
        return 128 + self.signal_number if self.signal_number else 0


class StoppedAtOnce(KeyboardInterrupt):
    """The second signal. Nothing catches a KeyboardInterrupt, plug-ins' failures neither."""

    def __init__(self, exit_code: int) -> None:
        super().__init__()
        self.exit_code = exit_code


@contextmanager
def stop_on_signals() -> Iterator[Stop]:
    """The first signal asks to stop; the second ends the process at once."""
    stop = Stop()

    def on_signal(number: int, _frame: FrameType | None) -> None:
        if stop.signal_number:
            raise StoppedAtOnce(128 + number)
        stop.signal_number = number
        stop.event.ask()

    before = {number: signal.signal(number, on_signal) for number in SIGNALS}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
