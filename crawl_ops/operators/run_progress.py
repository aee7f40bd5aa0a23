"""What a run in one process shows while it goes: the jobs' own lines, and each task that ends."""

import logging
import signal
import sys
import time
import traceback
from collections.abc import Callable
from typing import Any

from airflow.listeners import hookimpl
from airflow.sdk.exceptions import AirflowFailException

from crawl_ops.errors import CrawlError

LINE = 300
"""Characters of an error that are shown; some libraries put a stack trace into theirs."""


class RunProgress:
    """Lines for people, on standard error: seconds since the start, task, what happened."""

    def __init__(self) -> None:
        self._start = time.monotonic()
        self._task = ""
        self._stop_task: Callable[[], None] | None = None
        self.failures: dict[str, str] = {}

    def say(self, text: str) -> None:
        """Print one line."""
        seconds = time.monotonic() - self._start
        sys.stderr.write(f"{seconds:7.1f}s  {self._task:<26} {text}\n")
        sys.stderr.flush()

    def listen(self) -> None:
        """Hear of tasks from Airflow and of jobs from their logger."""
        from airflow.sdk.listener import get_listener_manager

        get_listener_manager().add_listener(self)  # type: ignore[no-untyped-call]
        logger = logging.getLogger("crawl_ops")
        logger.setLevel(logging.INFO)
        logger.propagate = False
        logger.handlers = [_Lines(self)]

    def stop_on_interrupt(self) -> None:
        """Ctrl-C ends the running task in good order, a second one the process at once."""

        def on_interrupt(number: int, frame: Any) -> None:  # noqa: ARG001
            signal.signal(signal.SIGINT, signal.default_int_handler)
            if self._stop_task is None:
                raise KeyboardInterrupt
            self.say("stopping ...")
            self._stop_task()

        signal.signal(signal.SIGINT, on_interrupt)

    @hookimpl
    def on_task_instance_running(self, previous_state: Any, task_instance: Any) -> None:  # noqa: ARG002
        self._task = _name(task_instance)
        self._stop_task = task_instance.task.on_kill

    @hookimpl
    def on_task_instance_success(self, previous_state: Any, task_instance: Any) -> None:  # noqa: ARG002
        self._task = _name(task_instance)
        self.failures.pop(self._task, None)
        _end_if_stopped(task_instance)

    @hookimpl
    def on_task_instance_failed(
        self,
        previous_state: Any,  # noqa: ARG002
        task_instance: Any,
        error: str | BaseException | None,
    ) -> None:
        self._task = _name(task_instance)
        line = (str(error).strip() or type(error).__name__).splitlines()[0][:LINE]
        known = self.failures.get(self._task) == line
        self.failures[self._task] = line
        self.say(f"failed: {line}")
        expected = isinstance(error, CrawlError | AirflowFailException)
        if isinstance(error, Exception) and not (expected or known):
            traceback.print_exception(error)
        _end_if_stopped(task_instance)


class _Lines(logging.Handler):
    def __init__(self, progress: RunProgress) -> None:
        super().__init__(logging.INFO)
        self._progress = progress

    def emit(self, record: logging.LogRecord) -> None:
        self._progress.say(record.getMessage())


def _end_if_stopped(task_instance: Any) -> None:
    # Airflow would go on in this process: try the task again, or start the next one.
    stop = getattr(task_instance.task, "stop", None)
    if stop is not None and stop.is_set():
        raise KeyboardInterrupt


def _name(task_instance: Any) -> str:
    name = str(task_instance.task_id).replace(".partition.", ".")
    return f"{name}[{task_instance.map_index}]" if task_instance.map_index >= 0 else name
