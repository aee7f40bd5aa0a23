"""What segments hold of one URL, found without reading what they hold of others."""

from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from crawl_ops.storage.segment import PARSED, PartFile, Segment
from crawl_ops.storage.session import Session
from crawl_ops.storage.views import rows_select

Row = dict[str, Any]


class UrlRows:
    """Rows by URL key in the segments given."""

    def __init__(self, session: Session, segments: Iterable[Segment]) -> None:
        self._session = session
        self._segments = {segment.name: segment for segment in segments}
        session.bind_select("fetches", rows_select(session, self._segments.values(), "crawl_fetch"))

    def fetches(self, k: int) -> list[Row]:
        """The crawl_fetch rows of a key with `segment` and `file`, one a segment, newest first.

        Of several attempts the one counts that counts everywhere (Session.part_rows).
        """
        counted: dict[str, Row] = {}
        for row in self._session.rows("lookup_fetches", k=k):
            known = counted.get(row["segment"])
            if known is None or (_good(row) and not _good(known)):
                counted[row["segment"]] = row
        return list(counted.values())

    def of_fetch(
        self, fetch: Row, part: str, columns: Sequence[str] | None = None, *, by: str = "k"
    ) -> list[Row]:
        """The rows of another part that belong to a row of `fetches`.

        They stand in the files that were written together with it. by: the column with the key.
        """
        found: list[Row] = []
        segment = self._segments[fetch["segment"]]
        stem = PurePosixPath(fetch["file"]).stem
        for stem_of_part in (stem, stem + PARSED):
            path = f"{segment.folder}/{part}/list-{fetch['list']:03}/{stem_of_part}.parquet"
            if segment.files.exists(path):
                file = PartFile(fetch["list"], stem_of_part, path)
                found += _rows_with(segment, file, part, by, fetch["k"], columns)
        return [row for row in found if row.get("attempt", fetch["attempt"]) == fetch["attempt"]]

    def page(self, fetch: Row, part: str, columns: Sequence[str] | None = None) -> Row | None:
        """The one row of content, parse_data or parse_text that belongs to a fetch, or None."""
        rows = self.of_fetch(fetch, part, columns)
        return rows[0] if rows else None


def _good(row: Row) -> bool:
    return bool(row["fetch_status"] == "fetch_success")


def _rows_with(
    segment: Segment,
    file: PartFile,
    part: str,
    by: str,
    key: int,
    columns: Sequence[str] | None,
) -> list[Row]:
    """Rows of a part file whose column `by` is `key`: only row groups that have one are read."""
    found: list[Row] = []
    with segment.open_part(file, part) as parquet:
        for number in range(parquet.num_row_groups):
            keys = parquet.read_row_group(number, [by]).column(by)
            places = pc.indices_nonzero(pc.equal(keys, pa.scalar(key, keys.type)))
            if len(places):
                group = parquet.read_row_group(number, list(columns) if columns else None)
                found += group.take(places).to_pylist()
    return found
