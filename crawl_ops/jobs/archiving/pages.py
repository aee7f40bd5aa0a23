"""The pages of a segment, each with what else is known of it."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from crawl_ops.storage.segment import PARSED, PartFile, Segment
from crawl_ops.storage.session import Session

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class StoredPage:
    """A stored page with its fetch, its parse and its links."""

    content: Row
    fetch: Row
    data: Row | None
    links: Sequence[Row]


def pages_of(session: Session, segment: Segment) -> Iterator[StoredPage]:
    """The pages of a segment, file by file; of several attempts those that count."""
    for number in segment.lists():
        counting = _counting(session, segment, number)
        for file in segment.part_files("content", [number]):
            fetches = _by_key(segment, file, "crawl_fetch")
            parsed = _by_key(segment, file, "parse_data")
            links = _links(segment, file)
            for row in _contents(segment, file):
                k = row["k"]
                if k in fetches and counting.get(k, row["attempt"]) == row["attempt"]:
                    yield StoredPage(row, fetches[k], parsed.get(k), links.get(k, ()))


def _contents(segment: Segment, file: PartFile) -> Iterator[Row]:
    with segment.open_part(file, "content") as parquet:
        for number in range(parquet.num_row_groups):
            yield from parquet.read_row_group(number).to_pylist()


def _counting(session: Session, segment: Segment, number: int) -> Mapping[int, str]:
    """Key -> the attempt that counts, where there were several."""
    if not segment.has_several_attempts([number]):
        return {}
    session.bind_part(segment, "crawl_fetch", lists=[number])
    return {row["k"]: row["attempt"] for row in session.rows("warc_attempts")}


def _by_key(segment: Segment, beside: PartFile, part: str) -> dict[int, Row]:
    file = _beside(segment, beside, part, beside.stem)
    if file is None:
        return {}
    return {row["k"]: row for row in segment.read_part(file, part).to_pylist()}


def _links(segment: Segment, beside: PartFile) -> dict[int, list[Row]]:
    """Outlinks by the key of their page, in the order of the page."""
    found: dict[int, list[Row]] = defaultdict(list)
    columns = ("from_k", "to_url", "kind", "position")
    for stem in (beside.stem, beside.stem + PARSED):
        if file := _beside(segment, beside, "crawl_parse", stem):
            for row in segment.read_part(file, "crawl_parse", columns).to_pylist():
                found[row["from_k"]].append(row)
    for links in found.values():
        links.sort(key=lambda link: (link["position"], link["to_url"]))
    return found


def _beside(segment: Segment, file: PartFile, part: str, stem: str) -> PartFile | None:
    path = f"{segment.folder}/{part}/list-{file.list:03}/{stem}.parquet"
    return PartFile(file.list, stem, path) if segment.files.exists(path) else None
