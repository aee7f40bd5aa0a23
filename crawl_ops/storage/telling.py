"""Failures of the engine and of file systems as one line that names the file, without SQL."""

import contextlib
import errno
import re
from collections.abc import Callable, Iterator

from crawl_ops.errors import CrawlError, StoreError

_NO_SPACE = "No space left on device"
_FILE = re.compile(r"""(?P<quote>["'])(?P<name>.+?)(?P=quote)""")
_DATA_FILE = re.compile(r"""(?P<quote>["'])(?P<name>.+?\.parquet)(?P=quote)""")
_SQL_TAIL = re.compile(r"\s+LINE \d+:.*", re.DOTALL)
_GONE = ("No files found", "No such file", "Cannot open file")
MENDING = "docs/recovery.md says what mends it"


@contextlib.contextmanager
def told(what: str, look: Callable[[Exception], str | None] | None = None) -> Iterator[None]:
    """Failures of the engine as StoreError: `what` was done.

    look: finds the file that is broken where the error names none.
    """
    import duckdb
    import pyarrow as pa

    try:
        yield
    except CrawlError:
        raise
    except Exception as error:
        said = of_a_file(error) or (look(error) if look is not None else None)
        if said is None and not isinstance(error, duckdb.Error | pa.ArrowException):
            raise
        raise StoreError(said or f"{' '.join(what.split())}: {one_line(error)}") from error


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
        return missing(file["name"])
    return broken(file["name"], text.replace(file[0], ""))


def missing(location: str) -> str:
    """That a data file is not there."""
    return f"{location}: this data file is missing; {MENDING}"


def broken(location: str, why: Exception | str) -> str:
    """That a data file cannot be read as what it should be."""
    said = one_line(why).removeprefix(f"{location}: ")
    said = said.removeprefix("Invalid Input Error: ").removeprefix("IO Error: ")[:200]
    return f"{location}: this data file is broken ({said}); {MENDING}"


def is_full(error: Exception) -> bool:
    """Whether a disk or a quota is full."""
    number = getattr(error, "errno", None)
    return number in (errno.ENOSPC, errno.EDQUOT) or _NO_SPACE in str(error)


def one_line(error: Exception | str) -> str:
    """An error of the engine without the statement that it repeats, nor bytes of a file."""
    return printable(" ".join(_SQL_TAIL.sub("", str(error)).split())[:400])


def printable(text: str) -> str:
    """`text` with what is no printable character written as in Python."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
