"""A process that parses pages for a ParserPool: `python -m crawl_ops.parse.worker`.

Frames come in on stdin (a Setup, then batches of pages) and go out on stdout (a Ready, then one
result a page, each as soon as it is there). The end of stdin ends the process, and so does the
end of its parent. A page that needs too much memory fails by itself.
"""

import ctypes
import gc
import os
import resource
import signal
import sys
from typing import BinaryIO

from crawl_ops.config.load import load
from crawl_ops.errors import CrawlError
from crawl_ops.parse.answer import Answer
from crawl_ops.parse.frames import LENGTH, Ready, frame, frame_into, read_pages, read_setup
from crawl_ops.parse.page import Page
from crawl_ops.parse.parsers import Parsers
from crawl_ops.parse.signature import signature

COLLECT_EVERY = 10_000  # objects: a page makes hundreds that go without a collection
_PR_SET_PDEATHSIG = 1


class PageWork:
    """Parses pages and signs them: what a worker does, also without a process of its own."""

    def __init__(self, parsers: Parsers) -> None:
        self._parsers = parsers

    def __call__(self, page: Page) -> Answer:
        """The result of one page, with its signature."""
        parsed = self._parsers.parse(page)
        text = parsed.text.encode("utf-8", "replace")
        parsed.signature = signature(self._parsers.config, page, text)
        return Answer.of(parsed, text)


def main() -> int:
    """Serve frames until stdin ends. Returns the exit code."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _die_with_parent()
    requests, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb", buffering=0)
    # What a plug-in prints must not end up between the frames.
    os.dup2(2, 1)
    body = _read_frame(requests)
    if body is None:
        return 0
    setup = read_setup(body)
    try:
        _limit_memory(setup.memory_bytes)
        work = PageWork(Parsers(load(overrides=setup.properties)))
    except CrawlError as error:
        answers.write(frame(Ready(str(error))))
        return error.exit_code
    answers.write(frame(Ready()))
    # What is loaded stays: the collector need not look at it again with every few pages.
    gc.freeze()
    gc.set_threshold(COLLECT_EVERY)
    _serve(requests, answers, work)
    return 0


def _serve(requests: BinaryIO, answers: BinaryIO, work: PageWork) -> None:
    data = bytearray()
    while (body := _read_frame(requests)) is not None:
        for page in read_pages(body):
            frame_into(work(page), data)
            sent = 0
            while sent < len(data):
                sent += answers.write(memoryview(data)[sent:])


def _read_frame(source: BinaryIO) -> bytes | None:
    head = source.read(LENGTH.size)
    if len(head) < LENGTH.size:
        return None
    (length,) = LENGTH.unpack(head)
    body = source.read(length)
    return body if len(body) == length else None


def _die_with_parent() -> None:
    parent = os.getppid()
    libc = ctypes.CDLL(None, use_errno=True)
    if hasattr(libc, "prctl"):
        libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent or parent == 1:
        sys.exit(0)


def _limit_memory(limit_bytes: int) -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    if hard != resource.RLIM_INFINITY:
        limit_bytes = min(limit_bytes, hard)
    resource.setrlimit(resource.RLIMIT_AS, (limit_bytes, hard))


if __name__ == "__main__":
    sys.exit(main())
