"""Waiting for one's turn: a lock that dies with its process."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

from filelock import FileLock, Timeout

from crawl_ops.errors import CommitConflictError, StoreError, os_reason

WAIT_S = 600.0


@contextlib.contextmanager
def one_at_a_time(file: Path, what: str, wait_s: float = WAIT_S) -> Iterator[None]:
    """Nobody else on this machine does `what` meanwhile.

    Raises CommitConflictError, which is retryable, if somebody does it for longer than `wait_s`.
    """
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(file, timeout=wait_s):
            yield
    except Timeout:
        raise CommitConflictError(f"{file}: another process is at {what}") from None
    except OSError as error:
        raise StoreError(f"{error.filename or file}: {os_reason(error)}") from error
