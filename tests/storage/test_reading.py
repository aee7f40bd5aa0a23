"""A reader whose files are swept away looks again, once."""

import pytest

from crawl_ops.errors import NotFoundError, StoreError
from crawl_ops.storage.reading import read_again


def test_what_fails_once_is_read_again() -> None:
    answers = iter([None, 7])

    def read() -> int:
        found = next(answers)
        if found is None:
            raise NotFoundError("no such file")
        return found

    assert read_again(read) == 7


def test_what_keeps_failing_is_told() -> None:
    asked = []

    def read() -> int:
        asked.append(1)
        raise StoreError(f"broken {len(asked)}")

    with pytest.raises(StoreError, match="broken 2"):
        read_again(read)


def test_other_faults_are_not_asked_for_again() -> None:
    asked = []

    def read() -> int:
        asked.append(1)
        raise ValueError

    with pytest.raises(ValueError):
        read_again(read)
    assert asked == [1]
