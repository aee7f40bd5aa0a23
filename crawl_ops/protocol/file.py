"""file: URLs, for corpora on this machine (Nutch's protocol-file). Off unless file.roots is set."""

import errno
import html
import os
import stat
from collections.abc import Iterator
from datetime import UTC, datetime
from email.utils import format_datetime
from pathlib import Path
from time import monotonic
from urllib.parse import quote, unquote_to_bytes

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.errors import ConfigError
from crawl_ops.model import ProtocolStatus
from crawl_ops.protocol.answer import Answer, FetchRequest
from crawl_ops.protocol.media_type import detect

NAMES_MOST = 50_000
READ_BYTES = 1 << 20
HERE = ("", "localhost")


class FileProtocol:
    """Reads files below `file.roots`, and makes a page of links of every folder there.

    A folder asked for without its slash, and a path by another spelling, redirect. Symbolic links
    are followed, but not out of the roots; what is neither file nor folder is not opened.
    Raises ConfigError when a root is no folder.
    """

    def __init__(self, config: CrawlConfig) -> None:
        self._limit = config.file.content_limit
        self._parent = config.file.crawl_parent
        self._magic = config.mime.type_magic
        self._roots = [_root(name) for name in config.file.roots]

    def fetch(self, request: FetchRequest, /) -> Answer:
        """What reading came to, in the statuses of http; never raises for a URL's sake."""
        started = monotonic()
        try:
            answer = self._answer(request)
        except (FileNotFoundError, NotADirectoryError):
            answer = _refused(request.url, ProtocolStatus.NOTFOUND, 404, "there is no such file")
        except PermissionError:
            reason = "the file may not be read"
            answer = _refused(request.url, ProtocolStatus.ACCESS_DENIED, 401, reason)
        except (OSError, ValueError) as error:
            reason = f"file: {error.strerror if isinstance(error, OSError) else error}"
            answer = Answer(request.url, ProtocolStatus.EXCEPTION, reason=reason)
        answer.response_ms = round((monotonic() - started) * 1000)
        return answer

    def close(self) -> None:
        """Nothing is kept open."""

    def _answer(self, request: FetchRequest) -> Answer:
        path = _path_of(request.url)
        file = path.resolve(strict=True)
        root = next((r for r in self._roots if file == r or r in file.parents), None)
        if root is None:
            reason = "the file is not below file.roots"
            return _refused(request.url, ProtocolStatus.ACCESS_DENIED, 403, reason)
        state = file.stat()
        is_folder = stat.S_ISDIR(state.st_mode)
        spelling = _url_of(path, is_folder)
        if spelling != request.url.partition("#")[0].partition("?")[0]:
            return Answer(request.url, ProtocolStatus.MOVED, 300, location=spelling)
        if not is_folder and not stat.S_ISREG(state.st_mode):
            reason = "neither a file nor a folder"
            return _refused(request.url, ProtocolStatus.ACCESS_DENIED, 403, reason)
        changed = datetime.fromtimestamp(int(state.st_mtime), UTC)
        if not is_folder and request.modified_time and changed <= request.modified_time:
            return Answer(request.url, ProtocolStatus.NOTMODIFIED, 304)
        answer = Answer(request.url, ProtocolStatus.SUCCESS, 200)
        answer.last_modified = format_datetime(changed, usegmt=True)
        answer.headers = [("Last-Modified", answer.last_modified)]
        if is_folder:
            above = self._parent and file != root
            answer.content = "".join(_listing(path, above)).encode("utf-8", "replace")
            answer.content_type, answer.charset_hint = "text/html", "utf-8"
            return answer
        answer.content = _content(file, self._limit)
        if 0 <= self._limit < state.st_size:
            answer.truncated = "length"
        answer.content_type = detect(None, request.url, answer.content, magic=self._magic)
        return answer


def _root(name: str) -> Path:
    root = Path(name)
    if not root.is_absolute() or not root.is_dir():
        raise ConfigError(f"file.roots: {name!r:.200} is no folder given in full")
    return root.resolve()


def _path_of(url: str) -> Path:
    rest = url.partition("#")[0].partition("?")[0].removeprefix("file:")
    if rest.startswith("//"):
        host, slash, rest = rest[2:].partition("/")
        if host.lower() not in HERE:
            raise ValueError(f"host {host[:100]!r} is not this machine")
        rest = slash + rest
    name = os.fsdecode(unquote_to_bytes(rest))
    if not name.startswith("/") or "\0" in name:
        raise ValueError("is no absolute path")
    return Path("/" + os.path.normpath(name).lstrip("/"))


def _url_of(path: Path, is_folder: bool) -> str:
    name = quote(os.fsencode(path).lstrip(b"/"), safe="/!$&'()*+,;=:@~-._")
    return f"file:///{name}" + ("/" if is_folder and name else "")


def _content(file: Path, limit: int) -> bytes:
    # Not blocking: it may have become a pipe since it was looked at.
    handle = os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOFOLLOW)
    with os.fdopen(handle, "rb", buffering=0) as stream:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise OSError(errno.EINVAL, "is no file any more")
        pieces, left = [], limit
        while limit < 0 or left > 0:
            piece = stream.read(READ_BYTES if limit < 0 else min(READ_BYTES, left))
            if not piece:
                break
            pieces.append(piece)
            left -= len(piece)
        return b"".join(pieces)


def _listing(folder: Path, above: bool) -> Iterator[str]:
    """A page that links to what is in a folder, at most NAMES_MOST names, in their order."""
    with os.scandir(os.fsencode(folder)) as entries:
        found = []
        for entry in entries:
            found.append(entry.name + (b"/" if entry.is_dir() else b""))
            if len(found) >= NAMES_MOST:
                break
    title = html.escape(f"Index of {folder}")
    yield f"<!DOCTYPE html>\n<html><head><title>{title}</title></head><body><h1>{title}</h1>\n"
    if above:
        yield '<a href="../">../</a><br>\n'
    for name in sorted(found):
        shown = html.escape(name.decode("utf-8", "replace"))
        yield f'<a href="./{quote(name)}">{shown}</a><br>\n'
    yield "</body></html>\n"


def _refused(url: str, status: ProtocolStatus, code: int, reason: str) -> Answer:
    return Answer(url, status, code, reason)
