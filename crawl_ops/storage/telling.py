"""Failures of the engine and of file systems as one line that names the file, without SQL."""

import contextlib
import errno
import re
from collections.abc import Iterator

from crawl_ops.errors import StoreError

_NO_SPACE = "No space left on device"
_FILE = re.compile(r"""(?P<quote>["'])(?P<name>.+?)(?P=quote)""")
_DATA_FILE = re.compile(r"""(?P<quote>["'])(?P<name>.+?\.parquet)(?P=quote)""")
_SQL_TAIL = re.compile(r"\s+LINE \d+:.*", re.DOTALL)
_GONE = ("No files found", "No such file", "Cannot open file")
MENDING = "docs/recovery.md says what mends it"


@contextlib.contextmanager
def told(what: str) -> Iterator[None]:
    """Failures of the engine as StoreError: `what` was done."""
    import duckdb

    try:
        yield
    except duckdb.Error as error:
        said = of_a_file(error) or f"{' '.join(what.split())}: {one_line(error)}"
        raise StoreError(said) from error


def of_a_file(error: Exception) -> str | None:
    """What is wrong with a file or the disk, if that is what an error is about."""
    import duckdb  # here: what needs no engine asks for the rest of this module

    text = _SQL_TAIL.sub("", str(error))
    if is_full(error):
        file = _FILE.search(text)
        return f"{file['name'] if file else 'disk'}: the disk is full"
    if not isinstance(error, duckdb.IOException | duckdb.InvalidInputException):
        return None
    file = _DATA_FILE.search(text)
    if file is None:
        return None
    if any(word in text for word in _GONE):
        return f"{file['name']}: this data file is missing; {MENDING}"
    return f"{file['name']}: this data file is broken ({_without(text, file[0])}); {MENDING}"


def is_full(error: Exception) -> bool:
    """Whether a disk or a quota is full."""
    number = getattr(error, "errno", None)
    return number in (errno.ENOSPC, errno.EDQUOT) or _NO_SPACE in str(error)


def one_line(error: Exception) -> str:
    """An error of the engine without the statement that it repeats."""
    return " ".join(_SQL_TAIL.sub("", str(error)).split())[:400]


def _without(text: str, quoted: str) -> str:
    said = " ".join(text.replace(quoted, "").split())
    return said.removeprefix("Invalid Input Error: ").removeprefix("IO Error: ")[:200]
