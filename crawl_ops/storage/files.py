"""Files of a crawl folder, by the few things an object store can do too.

Whole files are written, read, listed and removed; a file appears complete or not at all; a name
can be taken exclusively. Nothing is appended to and no folder is renamed.
"""

import contextlib
import os
import uuid
from collections.abc import Iterator
from pathlib import Path

from crawl_ops.errors import NotFoundError, StoreError, os_reason

SCRATCH = "scratch"


class LocalFiles:
    """The files below a local folder. Paths are relative, with forward slashes."""

    def __init__(self, root: Path, *, fsync: bool = True) -> None:
        self.root = root
        self._fsync = fsync

    def location(self, path: str) -> str:
        """What DuckDB and pyarrow open to read the file."""
        return str(self.root / path)

    def exists(self, path: str) -> bool:
        return (self.root / path).exists()

    def size(self, path: str) -> int:
        """Bytes of a file. Raises NotFoundError."""
        with _told(path):
            return (self.root / path).stat().st_size

    def read(self, path: str) -> bytes:
        """The whole file. Raises NotFoundError."""
        with _told(path):
            return (self.root / path).read_bytes()

    def names(self, folder: str) -> list[str]:
        """Names directly below a folder, sorted; empty if there is no such folder."""
        try:
            return sorted(os.listdir(self.root / folder))  # noqa: PTH208  (ten times iterdir)
        except (FileNotFoundError, NotADirectoryError):
            return []

    def walk(self, folder: str) -> Iterator[str]:
        """Every file below a folder, as a path."""
        for parent, folders, names in os.walk(self.root / folder):
            folders.sort()
            for name in sorted(names):
                yield (Path(parent) / name).relative_to(self.root).as_posix()

    def create(self, path: str, data: bytes) -> bool:
        """Write a file unless its name is taken. False if it was; then nothing has changed."""
        with _told(path), self._aside(data) as aside:
            target = self._target(path)
            try:
                os.link(aside, target)
            except FileExistsError:
                return False
            self._sync_folder(target.parent)
            return True

    def put(self, path: str, data: bytes) -> None:
        """Write a file, whether or not there was one."""
        with _told(path), self._aside(data) as aside:
            self.publish(aside, path)

    def publish(self, written: Path, path: str) -> None:
        """Give a finished local file its name; `written` is gone afterwards."""
        with _told(path):
            target = self._target(path)
            if self._fsync:
                _sync(written)
            written.replace(target)
            self._sync_folder(target.parent)

    def remove(self, path: str) -> None:
        """Remove a file if it is there, and its folder if that is empty then."""
        target = self.root / path
        with _told(path):
            target.unlink(missing_ok=True)
        with contextlib.suppress(OSError):
            target.parent.rmdir()

    def aside(self, ending: str = "") -> Path:
        """A new local name to write to before `publish`. The folder exists."""
        folder = self.root / SCRATCH / "aside"
        with _told(SCRATCH):
            folder.mkdir(parents=True, exist_ok=True)
        return folder / f"{uuid.uuid4().hex}{ending}"

    @contextlib.contextmanager
    def _aside(self, data: bytes) -> Iterator[Path]:
        path = self.aside()
        try:
            with path.open("xb") as file:
                file.write(data)
                file.flush()
                if self._fsync:
                    os.fsync(file.fileno())
            yield path
        finally:
            path.unlink(missing_ok=True)

    def _target(self, path: str) -> Path:
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        return target

    def _sync_folder(self, folder: Path) -> None:
        if self._fsync:
            _sync(folder)


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextlib.contextmanager
def _told(path: str) -> Iterator[None]:
    """Failures of the file system as one line that names the file."""
    try:
        yield
    except FileNotFoundError as error:
        raise NotFoundError(f"{error.filename or path}: there is no such file") from None
    except OSError as error:
        raise StoreError(f"{error.filename or path}: {os_reason(error)}") from error
