"""Signals that ask to stop."""

import subprocess
import sys

# What Event.wait does for a moment, held for as long as the signal takes.
WHILE_WAITING = """
import signal
from crawl_ops.cli.stopping import stop_on_signals
with stop_on_signals() as stop:
    with stop.event._cond:
        signal.raise_signal(signal.SIGTERM)
    print(stop.event.wait(10), stop.exit_code)
"""


def test_a_signal_that_comes_while_the_event_is_waited_for_does_not_hang() -> None:
    command = [sys.executable, "-c", WHILE_WAITING]
    done = subprocess.run(command, capture_output=True, text=True, timeout=20, check=True)
    assert done.stdout == "True 143\n"
