"""readdb --dump: which records, and in which of Nutch's forms."""

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

import typer

from crawl_ops.cli.output import cell, write, write_json
from crawl_ops.model import DbStatus

FORMATS = ("normal", "csv", "json")
DAY_S = 86_400
CODES = {str(status): code for code, status in enumerate(DbStatus, start=1)}
CSV_COLUMNS = (
    "Url",
    "Status code",
    "Status name",
    "Fetch Time",
    "Modified Time",
    "Retries since fetch",
    "Retry interval seconds",
    "Retry interval days",
    "Score",
    "Signature",
    "Metadata",
)
Record = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Selection:
    """Conditions that all must hold, and how many records at most."""

    status: str | None = None
    regex: str | None = None
    retry: int | None = None
    limit: int | None = None

    def of(self, records: Iterable[Record]) -> Iterator[Record]:
        """The records that are wanted. Raises typer.BadParameter for an impossible condition."""
        if self.status is not None and self.status not in CODES:
            raise typer.BadParameter(f"there is no status {self.status!r}", param_hint="--status")
        try:
            pattern = re.compile(self.regex) if self.regex is not None else None
        except (re.error, RecursionError) as error:
            raise typer.BadParameter(f"{self.regex!r}: {error}", param_hint="--regex") from None
        return islice(self._fitting(records, pattern), self.limit)

    def _fitting(
        self, records: Iterable[Record], pattern: re.Pattern[str] | None
    ) -> Iterator[Record]:
        for record in records:
            if (
                (self.status is None or record["status"] == self.status)
                and (self.retry is None or record["retries"] >= self.retry)
                and (pattern is None or pattern.fullmatch(record["url"]))
            ):
                yield record


def write_dump(records: Iterable[Record], form: str) -> None:
    """Print records in a form of FORMATS."""
    if form == "json":
        for record in records:
            write_json(record)
    elif form == "csv":
        write(_csv_line(CSV_COLUMNS))
        for record in records:
            write(_csv_line(_csv_row(record)))
    else:
        for record in records:
            write(_normal(record))


def _normal(record: Record) -> str:
    interval = record["interval"] or 0
    lines = (
        cell(record["url"]),
        f"Status: {CODES.get(record['status'], 0)} ({record['status']})",
        f"Fetch time: {cell(record['fetch_time'])}",
        f"Modified time: {cell(record['modified_time'])}",
        f"Retries since fetch: {record['retries']}",
        f"Retry interval: {interval} seconds ({interval // DAY_S} days)",
        f"Score: {cell(record['score'])}",
        f"Signature: {cell(record['signature'])}",
        f"Metadata: {cell(record['metadata'])}",
    )
    return "\n".join(lines) + "\n"


def _csv_row(record: Record) -> list[Any]:
    interval = record["interval"] or 0
    metadata = record["metadata"]
    return [
        cell(record["url"]),
        CODES.get(record["status"], 0),
        record["status"],
        cell(record["fetch_time"]),
        cell(record["modified_time"]),
        record["retries"],
        interval,
        interval // DAY_S,
        cell(record["score"]),
        cell(record["signature"]),
        json.dumps(metadata, ensure_ascii=False, default=str) if metadata else "",
    ]


def _csv_line(values: Iterable[Any]) -> str:
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(values)
    return line.getvalue()
