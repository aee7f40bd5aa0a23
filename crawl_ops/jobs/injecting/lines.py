"""Seed lines, one at a time: files of any size, lines of a bounded one."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from crawl_ops.errors import SeedError

LINE_BYTES_MAX = 1 << 16
"""Of a seed line, its end not counted."""


@dataclass(frozen=True, slots=True)
class Seed:
    """A seed line, and where it stands."""

    text: str
    where: str


def seed_lines(seeds: Path | Sequence[str]) -> Iterator[Seed]:
    """Seed lines of a file, a folder of files or a list, without blank lines and comments.

    Raises SeedError naming file and line.
    """
    if isinstance(seeds, Path):
        for file in seed_files(seeds):
            yield from _seeds(_of_file(file), str(file))
    else:
        yield from _seeds((_bounded(line) for line in seeds), "seeds")


def seed_files(path: Path) -> list[Path]:
    """The files of a folder in their order, or the one file. Raises SeedError."""
    try:
        if not path.is_dir():
            path.stat()
            if not path.is_file():
                raise SeedError(f"{path}: is no regular file and no folder")
            return [path]
        found = sorted(entry for entry in path.iterdir() if entry.is_file())
    except OSError as error:
        raise SeedError(f"{path}: cannot be read: {error.strerror}") from None
    if not found:
        raise SeedError(f"{path}: no seed files in this folder")
    return found


def _seeds(lines: Iterable[str | None], name: str) -> Iterator[Seed]:
    for number, line in enumerate(lines, 1):
        where = f"{name}, line {number}"
        if line is None:
            raise SeedError(f"{where}: is longer than {LINE_BYTES_MAX:,} bytes")
        text = line.strip("\r\n ")
        if text.strip() and not text.lstrip().startswith("#"):
            yield Seed(text, where)


def _bounded(line: str) -> str | None:
    return line if len(line.encode("utf-8", "replace")) <= LINE_BYTES_MAX else None


def _of_file(file: Path) -> Iterator[str | None]:
    """The lines of a file; None for one that is too long, which is not read to its end."""
    before = 0
    try:
        with file.open("rb") as stream:
            while line := stream.readline(LINE_BYTES_MAX + 1):
                if len(line) > LINE_BYTES_MAX and not line.endswith(b"\n"):
                    yield None
                    return
                text = _text(file, line, before)
                yield text if before else text.removeprefix("\ufeff")
                before += len(line)
    except OSError as error:
        raise SeedError(f"{file}: cannot be read: {error.strerror}") from None


def _text(file: Path, line: bytes, before: int) -> str:
    try:
        return line.decode()
    except UnicodeDecodeError as error:
        raise SeedError(f"{file}: is not UTF-8 text (byte {before + error.start})") from None
