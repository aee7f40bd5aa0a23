"""All processes of some sessions, whoever is their parent by now.

A process that was killed is nobody's parent any more, and its children are in no tree that one
could walk; the session they were started in stays theirs. As a program (`python -m
crawl_ops.operators.kin`) it is the guard of a process, which tells it the sessions it has started,
one a line: when that process has gone, however it went, all of them are killed.
"""

import contextlib
import os
import signal
import sys
import time
from collections.abc import Collection

import psutil

PATIENCE_S = 10.0


def of(sessions: Collection[int]) -> list[psutil.Process]:
    """The living processes of sessions; a session has the number of the process that began it."""
    found = []
    for pid in psutil.pids():
        with contextlib.suppress(psutil.Error, OSError):  # it has gone, or is somebody else's
            if os.getsid(pid) in sessions:
                process = psutil.Process(pid)
                if process.status() != psutil.STATUS_ZOMBIE:
                    found.append(process)
    return found


def left_idle(sessions: Collection[int]) -> list[psutil.Process]:
    """Those that have lost the process that started them, and have none of their own at work.

    After the end of a scheduler these are its executor's workers: those that look after a task
    have a child.
    """
    kin = of(sessions)
    known = {one.pid for one in kin}
    lost = []
    for one in kin:
        with contextlib.suppress(psutil.NoSuchProcess):
            if one.pid not in sessions and one.ppid() not in known and not one.children():
                lost.append(one)
    return lost


def kill(sessions: Collection[int]) -> None:
    """SIGKILL to all of them, also to those that are being started meanwhile."""
    deadline = time.monotonic() + PATIENCE_S
    while (kin := of(sessions)) and time.monotonic() < deadline:
        for one in kin:
            with contextlib.suppress(psutil.NoSuchProcess):
                one.kill()
        time.sleep(0.05)


def main() -> None:
    """Wait until whoever holds the other end of standard input has gone, then end its kin."""
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    kill({int(line) for line in sys.stdin})


if __name__ == "__main__":
    main()
