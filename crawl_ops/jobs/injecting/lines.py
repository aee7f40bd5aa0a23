"""Seed lines, some thousand at a time: files of any size, lines of a bounded one."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from crawl_ops.errors import SeedError, os_reason

LINE_BYTES_MAX = 1 << 16
"""Of a seed line, its end not counted."""
BLOCK_BYTES = 1 << 19
BLOCK_LINES = 20_000


@dataclass(frozen=True, slots=True)
class Block:
    """Seed lines without blank ones and comments, and where they stand."""

    texts: Sequence[str]
    numbers: Sequence[int]
    name: str

    def where(self, at: int) -> str:
        """File and line of a text, for people."""
        return f"{self.name}, line {self.numbers[at]}"


def seed_blocks(seeds: Path | Sequence[str]) -> Iterator[Block]:
    """Seed lines of a file, a folder of files or a list, without blank lines and comments.

    Raises SeedError naming file and line, when all lines before it were given.
    """
    if isinstance(seeds, Path):
        for file in seed_files(seeds):
            yield from _blocks(_of_file(file), str(file))
    else:
        yield from _blocks(_of_list(seeds), "seeds")


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
        raise SeedError(f"{path}: cannot be read: {os_reason(error)}") from None
    if not found:
        raise SeedError(f"{path}: no seed files in this folder")
    return found


def _blocks(parts: Iterable[Sequence[str] | SeedError | None], name: str) -> Iterator[Block]:
    """Lines in parts as blocks. A part that is an error, or None for a line too long, ends them."""
    first = 1
    for lines in parts:
        if isinstance(lines, SeedError):
            raise lines
        if lines is None:
            raise SeedError(f"{name}, line {first}: is longer than {LINE_BYTES_MAX:,} bytes")
        texts = [line.strip("\r\n ") for line in lines]
        kept = [at for at, text in enumerate(texts) if text.lstrip()[:1] not in ("", "#")]
        if len(kept) < len(texts):
            texts = [texts[at] for at in kept]
        yield Block(texts, [first + at for at in kept], name)
        first += len(lines)


def _of_list(lines: Sequence[str]) -> Iterator[Sequence[str] | None]:
    rest = iter(lines)
    while taken := list(islice(rest, BLOCK_LINES)):
        fit = next((n for n, line in enumerate(taken) if not _is_bounded(line)), None)
        yield taken[:fit]
        if fit is not None:
            yield None


def _is_bounded(line: str) -> bool:
    return len(line.encode("utf-8", "replace")) <= LINE_BYTES_MAX


def _of_file(file: Path) -> Iterator[Sequence[str] | SeedError | None]:
    """The lines of a file; None for one that is too long, which is not read to its end."""
    before = 0
    try:
        with file.open("rb") as stream:
            while data := stream.read(BLOCK_BYTES):
                if not data.endswith(b"\n"):
                    data += stream.readline(LINE_BYTES_MAX + 1)
                yield from _lines(file, data, before)
                before += len(data)
    except OSError as error:
        raise SeedError(f"{file}: cannot be read: {os_reason(error)}") from None


def _lines(file: Path, data: bytes, before: int) -> Iterator[Sequence[str] | SeedError | None]:
    """The lines of a part of a file; those before a fault, and the fault."""
    fault: SeedError | None = None
    cut = _too_long(data)
    too_long = cut is not None
    if cut is not None:
        data = data[:cut]
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        fault = SeedError(f"{file}: is not UTF-8 text (byte {before + error.start})")
        text = data[: data.rfind(b"\n", 0, error.start) + 1].decode()
    lines = (text if before else text.removeprefix("\ufeff")).split("\n")
    if not lines[-1]:
        lines.pop()
    yield lines
    if fault is not None:
        yield fault
    elif too_long:
        yield None


def _too_long(data: bytes) -> int | None:
    """Where a line begins that is too long."""
    start = 0
    while len(data) - start > LINE_BYTES_MAX:
        # The last end of a line within what one may take; if there is none, it is too long.
        end = data.rfind(b"\n", start, start + LINE_BYTES_MAX + 1)
        if end < 0:
            return start
        start = end + 1
    return None
