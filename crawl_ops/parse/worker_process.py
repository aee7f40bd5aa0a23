"""The parent's end of one parsing process."""

import contextlib
import fcntl
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Sequence

from crawl_ops.errors import CrawlError
from crawl_ops.parse.answer import Answer
from crawl_ops.parse.frames import LENGTH, Setup, frame, frame_into, read_answer, read_ready
from crawl_ops.parse.page import Page

START_TIMEOUT_S = 120.0
PIPE_BYTES = 1 << 20
"""Of a pipe, where that can be set: a batch is not handed over bit by bit."""
READ_BYTES = 1 << 18


class WorkerDiedError(Exception):
    """The process ended; the message says how."""


class WorkerHungError(Exception):
    """The process did not answer in time."""


class WorkerProcess:
    """A running `crawl_ops.parse.worker`. Used by one thread at a time.

    Raises CrawlError when it cannot be started.
    """

    def __init__(self, setup: Setup) -> None:
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
        # A session of its own: Ctrl-C at the terminal is the parent's to handle.
        self._process = subprocess.Popen(
            (sys.executable, "-m", "crawl_ops.parse.worker"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
            start_new_session=True,
            bufsize=0,
        )
        assert self._process.stdin is not None  # noqa: S101  (both are pipes)
        assert self._process.stdout is not None  # noqa: S101
        self._requests, self._answers = self._process.stdin, self._process.stdout
        for pipe in (self._requests, self._answers):
            with contextlib.suppress(OSError, AttributeError):  # not every system has it
                fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
        self.has_batch = False
        self._batch, self._buffer = bytearray(), bytearray()
        self._poll = select.poll()
        self._poll.register(self._answers, select.POLLIN)
        try:
            self._write(frame(setup))
            error = read_ready(self._frame(START_TIMEOUT_S)).error
        except (WorkerDiedError, WorkerHungError) as failure:
            self.kill()
            raise CrawlError(f"a parser process cannot be started: {failure}") from None
        if error is not None:
            self.kill()
            raise CrawlError(f"a parser process cannot be started: {error}")

    def send(self, pages: Sequence[Page]) -> None:
        """Hand over a batch. Raises WorkerDiedError."""
        self.has_batch = False
        frame_into(pages, self._batch)
        self._write(self._batch)
        self.has_batch = True

    def receive(self, timeout_s: float) -> Answer:
        """The next page's result. Raises WorkerHungError, WorkerDiedError."""
        return read_answer(self._frame(timeout_s))

    def stop(self) -> None:
        """End the process at once; a thread that waits for it gets WorkerDiedError."""
        self._process.kill()

    def kill(self) -> None:
        """End the process at once, when no thread waits for it."""
        self._process.kill()
        self._process.wait()
        self._requests.close()
        self._answers.close()

    def _write(self, data: bytes | bytearray) -> None:
        rest = memoryview(data)
        try:
            while rest:
                rest = rest[self._requests.write(rest) or 0 :]
        except OSError:
            raise WorkerDiedError(self._obituary()) from None

    def _frame(self, timeout_s: float) -> bytes:
        deadline = time.monotonic() + timeout_s
        (length,) = LENGTH.unpack(self._take(LENGTH.size, deadline))
        return self._take(length, deadline)

    def _take(self, size: int, deadline: float) -> bytes:
        while len(self._buffer) < size:
            left = deadline - time.monotonic()
            if left <= 0 or not self._poll.poll(left * 1000):
                raise WorkerHungError("no answer in time")
            data = os.read(self._answers.fileno(), READ_BYTES)
            if not data:
                raise WorkerDiedError(self._obituary())
            self._buffer += data
        taken = bytes(self._buffer[:size])
        del self._buffer[:size]
        return taken

    def _obituary(self) -> str:
        try:
            code = self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            return "closed its output"
        if code < 0:
            return f"ended by {signal.Signals(-code).name}"
        return f"ended with exit code {code}"
