"""What goes to standard output: JSON lines for scripts, tables and text for people."""

import json
import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime
from typing import Any

_CONTROL = dict.fromkeys((*range(32), *range(127, 160), 8232, 8233), " ")


def write(text: str) -> None:
    """One line of UTF-8 text, whatever the locale says."""
    sys.stdout.buffer.write(text.encode("utf-8", "replace") + b"\n")


def write_json(value: Any) -> None:
    """One JSON value on one line: times as ISO 8601, bytes as hex, no NaN."""
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, default=_plain)
    except ValueError:
        text = json.dumps(_finite(value), ensure_ascii=False, allow_nan=False, default=_plain)
    write(text)


def counted(number: int, thing: str) -> str:
    """1 round, 2 rounds."""
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def on_terminal() -> bool:
    """Whether a person is looking at standard output."""
    return sys.stdout.isatty()


def write_table(columns: Sequence[str], rows: Iterable[Sequence[Any]], title: str = "") -> None:
    """A table for people; tab-separated lines below a header line when piped."""
    if not on_terminal():
        write("\t".join(columns))
        for row in rows:
            write("\t".join(map(cell, row)))
        return
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(title=title or None, title_justify="left", box=SIMPLE_HEAD)
    for column in columns:
        table.add_column(column, overflow="fold")
    for row in rows:
        table.add_row(*(Text(cell(value)) for value in row))
    sys.stdout.flush()
    Console(file=sys.stdout).print(table)


def cell(value: Any) -> str:
    """A value on one line. Crawled text cannot move the cursor of a terminal."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, datetime):
        return _iso(value)
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, Mapping | list | tuple):
        return json.dumps(value, ensure_ascii=False, default=_plain).translate(_CONTROL)
    return str(value).translate(_CONTROL)


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return _iso(value)
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, bytes | bytearray | memoryview):
        return bytes(value).hex()
    if isinstance(value, set | frozenset):
        return sorted(value)
    return str(value)


def _iso(time: datetime) -> str:
    return time.isoformat().replace("+00:00", "Z")


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return value
