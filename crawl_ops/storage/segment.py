"""A segment: one round of the crawl. Its parts are folders of Parquet files, one or more a list.

segments/<segment>/segment.json                       written last by generate: the segment exists
segments/<segment>/<part>/list-000/<attempt>.<n>.parquet
segments/<segment>/done/<job>-000.json                 the job has finished that fetch list
segments/<segment>/filters/<fingerprint>               the URL filters that fetch and parse asked
"""

import contextlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from crawl_ops.errors import NotFoundError, StoreError
from crawl_ops.storage.faults import reading
from crawl_ops.storage.files import SCRATCH, LocalFiles
from crawl_ops.storage.part_writer import PartWriter
from crawl_ops.storage.schema import check_file, table_of
from crawl_ops.storage.telling import MENDING, one_line

SEGMENT_FORMAT = 1
PARTS = (
    "crawl_generate",
    "crawl_fetch",
    "content",
    "crawl_parse",
    "parse_data",
    "parse_text",
    "rejected",
    "robots",
)
FETCHED_PARTS = PARTS[1:]
PARSE_ONLY = ("parse_data", "parse_text")
FETCH, PARSE = "fetch", "parse"
PARSED = "p"  # ends the stem of what parse adds to a part that fetch writes too
_NOT_TOLD = "other"


@dataclass(frozen=True, slots=True)
class PartFile:
    """A Parquet file of a part: `stem` is <attempt>.<n>."""

    list: int
    stem: str
    path: str

    @property
    def attempt(self) -> str:
        return self.stem.rpartition(".")[0]


class Segment:
    """The files of one segment. Made by CrawlDir."""

    def __init__(self, files: LocalFiles, name: str) -> None:
        self.files = files
        self.name = name
        self.folder = f"segments/{name}"
        self._done: dict[tuple[str, int], dict[str, Any]] = {}  # never change once they are there

    def info(self) -> dict[str, Any]:
        """segment.json: run, depth, lists, selection, configuration. Raises NotFoundError."""
        path = f"{self.folder}/segment.json"
        try:
            info = json.loads(self.files.read(path))
            found = info["format"]
        except NotFoundError:
            raise NotFoundError(f"there is no segment {self.name}") from None
        except (ValueError, KeyError, TypeError):
            raise StoreError(
                f"{self.files.location(path)}: is no description of a segment"
            ) from None
        if found != SEGMENT_FORMAT:
            raise StoreError(
                f"{self.files.location(path)}: format {found} is newer than this crawl_ops reads"
            )
        return dict(info)

    def publish(self, info: Mapping[str, Any]) -> bool:
        """Write segment.json: from now on the segment exists. False if it did already."""
        plain = {"format": SEGMENT_FORMAT, "segment": self.name, **info}
        return self.files.create(
            f"{self.folder}/segment.json", json.dumps(plain, indent=1).encode()
        )

    def lists(self) -> list[int]:
        """The numbers of the fetch lists."""
        return [entry["list"] for entry in self.info()["lists"]]

    def part_files(self, part: str, lists: Iterable[int] | None = None) -> list[PartFile]:
        """The files of a part that count: those a finished list names, or all of an open one."""
        numbers = self._list_numbers(part) if lists is None else list(lists)
        return [file for number in numbers for file in self._files_of(part, number)]

    def _list_numbers(self, part: str) -> list[int]:
        return [
            int(name[5:])
            for name in self.files.names(f"{self.folder}/{part}")
            if name[:5] == "list-"
        ]

    def _files_of(self, part: str, number: int) -> list[PartFile]:
        folder = f"{self.folder}/{part}/list-{number:03}"
        names = [name for name in self.files.names(folder) if name.endswith(".parquet")]
        found = [
            PartFile(number, name.removesuffix(".parquet"), f"{folder}/{name}") for name in names
        ]
        if part not in FETCHED_PARTS:
            return found
        for job in (FETCH, PARSE):
            self._check_missing(job, part, number, names)
        finished = self.done(FETCH, number)
        if finished is None:
            return found
        # An attempt that was given up may go on writing: what it adds after that is ignored.
        return [file for file in found if file.stem.removesuffix(PARSED) in finished["stems"]]

    def _check_missing(self, job: str, part: str, number: int, names: Sequence[str]) -> None:
        """Raises StoreError naming a file that a job finished a list with and that is gone."""
        kept = (self.done(job, number) or {}).get("files", {}).get(part, ())
        for name in kept:
            if name not in names:
                path = self.files.location(f"{self.folder}/{part}/list-{number:03}/{name}")
                raise StoreError(
                    f"{path}: is missing; {job} finished list {number} with it; {MENDING}"
                )

    def _written_by(self, job: str, number: int) -> dict[str, list[PartFile]]:
        """The files of a list that a job wrote, by part."""
        mine = {
            part: [
                file
                for file in self._files_of(part, number)
                if (part in PARSE_ONLY or file.stem.endswith(PARSED)) == (job == PARSE)
            ]
            for part in FETCHED_PARTS
        }
        return {part: found for part, found in mine.items() if found}

    def journal_folder(self, number: int) -> Path:
        """Where the open parts of a fetch list are journalled, on this machine."""
        return self.files.root / SCRATCH / "fetch" / self.name / f"list-{number:03}"

    def has_several_attempts(self, lists: Iterable[int] | None = None) -> bool:
        """Whether a list was fetched by more than one attempt, so that rows may be there twice."""
        by_list: dict[int, set[str]] = {}
        for file in self.part_files("crawl_fetch", lists):
            by_list.setdefault(file.list, set()).add(file.attempt)
        return any(len(attempts) > 1 for attempts in by_list.values())

    def write_part(
        self, part: str, number: int, stem: str, rows: Sequence[Mapping[str, Any]]
    ) -> str | None:
        """Write rows as one part file; nothing is written for no rows."""
        return self.write_table(part, number, stem, table_of(part, rows)) if rows else None

    def write_table(self, part: str, number: int, stem: str, table: pa.Table) -> str:
        """Write an Arrow table of the part's schema. The file is complete when its name appears."""
        return self.write_tables(part, number, stem, [table])

    def write_tables(self, part: str, number: int, stem: str, tables: Iterable[pa.Table]) -> str:
        """Write tables of the part's schema, one after the other, as one file."""
        with self.part_writer(part, number, stem) as writer:
            for table in tables:
                writer.write(table)
            return writer.publish()

    def part_writer(self, part: str, number: int, stem: str) -> PartWriter:
        """A part file that is written a table at a time."""
        return PartWriter(self.files, part, f"{self.folder}/{part}/list-{number:03}/{stem}.parquet")

    def read_part(
        self, file: PartFile, part: str, columns: Sequence[str] | None = None
    ) -> pa.Table:
        """One part file as an Arrow table. Raises StoreError naming a file that is none."""
        return pa.concat_tables(self.batches(file, part, columns))

    def batches(
        self, file: PartFile, part: str, columns: Sequence[str] | None = None
    ) -> list[pa.Table]:
        """One part file as Arrow tables, one a row group."""
        with self.open_part(file, part) as parquet:
            return [
                parquet.read_row_group(n, list(columns) if columns else None, use_threads=False)
                for n in range(parquet.num_row_groups)
            ]

    @contextlib.contextmanager
    def open_part(self, file: PartFile, part: str) -> Iterator[pq.ParquetFile]:
        """One part file, checked against the declared schema; read it by row groups.

        Raises StoreError naming it where it turns out, in the meantime too, that it is broken.
        """
        location = self.files.location(file.path)
        try:
            parquet = pq.ParquetFile(location)
        except (OSError, pa.ArrowInvalid) as error:
            raise StoreError(
                f"{location}: cannot be read as Parquet: {one_line(error)}; {MENDING}"
            ) from None
        with parquet, reading(location, part):
            check_file(part, location, parquet.schema_arrow)
            yield parquet

    def note_filters(self, fingerprint: str) -> None:
        """Note which URL filters judge what is written to the segment from now on.

        fingerprint: empty if that cannot be told.
        """
        self.files.create(f"{self.folder}/filters/{fingerprint or _NOT_TOLD}", b"")

    def filters(self) -> str:
        """The fingerprint of the filters that judged all URLs found; empty if it is not one."""
        noted = self.filters_noted()
        return noted[0] if len(noted) == 1 and noted[0] != _NOT_TOLD else ""

    def filters_noted(self) -> list[str]:
        """All that `note_filters` was told."""
        return self.files.names(f"{self.folder}/filters")

    def done(self, job: str, number: int) -> dict[str, Any] | None:
        """What a job reported of a finished list, or None. Raises StoreError if it is garbage."""
        if (job, number) not in self._done:
            path = f"{self.folder}/done/{job}-{number:03}.json"
            try:
                self._done[job, number] = dict(json.loads(self.files.read(path)))
            except NotFoundError:
                return None
            except (ValueError, TypeError):
                where = self.files.location(path)
                raise StoreError(f"{where}: is no report of a finished list") from None
        return dict(self._done[job, number])

    def finish(self, job: str, number: int, report: Mapping[str, Any]) -> bool:
        """Note that a job has finished a list. False if another attempt was first."""
        if job in (FETCH, PARSE):
            files = self._written_by(job, number)
            report = {
                **report,
                "files": {
                    part: [f.path.rpartition("/")[2] for f in found]
                    for part, found in files.items()
                },
            }
            if job == FETCH:
                report["stems"] = sorted({file.stem for found in files.values() for file in found})
        data = json.dumps(report, indent=1).encode()
        return self.files.create(f"{self.folder}/done/{job}-{number:03}.json", data)
