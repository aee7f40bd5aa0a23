"""The errors of crawl_ops.

CrawlError                       exit 2, not retryable
├── ConfigError                  a property is missing, unknown or out of range; a bad plug-in
├── SeedError                    a seed file cannot be read, or a seed line is no URL
├── StoreError                   the crawl folder cannot be used; a file is not of its schema
│   ├── NotFoundError            exit 1: the segment, URL or version asked for does not exist
│   │   └── NotKeptError          exit 1: it was there, and was merged or removed since
│   └── CommitConflictError      retryable: another job committed to the table first
├── IndexingError                retryable: an index writer refused a batch
└── StoppedError                 exit 130, retryable: the job was asked to stop, what it has is kept

Everything about one URL (DNS, 404, robots, broken HTML, too large) is a status with a reason,
never one of these.
"""

import errno
from typing import ClassVar


class CrawlError(Exception):
    """A job or command cannot go on. The message is one line that names the file or property."""

    retryable: ClassVar[bool] = False
    exit_code: ClassVar[int] = 2


class ConfigError(CrawlError):
    """A property is missing, unknown or out of range, or a plug-in cannot be loaded."""


class SeedError(CrawlError):
    """A seed file cannot be read, or a seed line is no URL."""


class StoreError(CrawlError):
    """The crawl folder cannot be used, or a file in it is not of its declared schema."""


class NotFoundError(StoreError):
    """The segment, URL or version asked for does not exist."""

    exit_code = 1


class NotKeptError(NotFoundError):
    """What was asked for was there, and was merged or removed since."""


class CommitConflictError(StoreError):
    """Another job committed to the same table first; asking again is safe."""

    retryable = True


class IndexingError(CrawlError):
    """An index writer refused a batch."""

    retryable = True


class StoppedError(CrawlError):
    """The job was asked to stop. What was finished is kept; asking again goes on from there."""

    retryable = True
    exit_code = 130


_PLAIN = {
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "the disk is full",
    errno.EISDIR: "is a folder, where a file is needed",
    errno.ENOTDIR: "a part of this path is a file, where a folder is needed",
    errno.EEXIST: "is a file, where a folder is needed",  # of making folders: files get new names
}


def os_reason(error: OSError) -> str:
    """Why the operating system refused, in one line that follows the path."""
    return _PLAIN.get(error.errno or 0) or error.strerror or str(error)
