"""Reading while others write: files that a reader has just listed may be swept away."""

from collections.abc import Callable
from typing import TypeVar

from crawl_ops.errors import StoreError

Found = TypeVar("Found")


def read_again(read: Callable[[], Found]) -> Found:
    """What `read` finds; it is asked once more when it fails, by then with newer files."""
    try:
        return read()
    except StoreError:
        return read()
