"""The event by which a job is asked to end early."""

import _thread
import threading


class StopEvent(threading.Event):
    """An event that a signal handler may set, by `ask`.

    A handler runs on the main thread, perhaps while that holds the event's lock: `set` would wait
    for itself.
    """

    def __init__(self) -> None:
        super().__init__()
        self._asked = False

    def ask(self) -> None:
        """Set at once; who waits is woken by another thread, which can wait for the lock."""
        self._asked = True
        _thread.start_new_thread(self.set, ())

    def is_set(self) -> bool:
        return self._asked or super().is_set()
