"""The pages of a segment as records, some part files at a time: text is never held as a whole."""

import json
from collections.abc import Iterator
from typing import Any

from crawl_ops.index.document import Record
from crawl_ops.storage.crawl_dir import CrawlDir
from crawl_ops.storage.segment import PARSED, PartFile, Segment
from crawl_ops.storage.session import Session

BATCH_ROWS = 200
GROUP_BYTES = 16 << 20  # of compressed text that one query reads
GROUP_FILES = 100


def records(crawl: CrawlDir, session: Session, segment: Segment) -> Iterator[Record]:
    """A record of every page that is decided to be added, in the order of part files and URLs.

    Reads the temporary tables `decided` and `anchors`; to be read before the next statement.
    """
    for group in _groups(crawl, segment):
        _bind(session, segment, group)
        last = None
        for batch in session.batches("index", BATCH_ROWS):
            for row in batch:
                if row["url"] != last:
                    yield record(row, segment.name)
                last = row["url"]


def _groups(crawl: CrawlDir, segment: Segment) -> Iterator[list[PartFile]]:
    """Files of parse_text that are read together."""
    group: list[PartFile] = []
    size = 0
    for file in segment.part_files("parse_text"):
        bytes_ = crawl.files.size(file.path)
        if group and (size + bytes_ > GROUP_BYTES or len(group) >= GROUP_FILES):
            yield group
            group, size = [], 0
        group.append(file)
        size += bytes_
    if group:
        yield group


def _bind(session: Session, segment: Segment, group: list[PartFile]) -> None:
    """`texts`, `pages` and `headers_of`: the part files that belong together."""
    wanted = {_key(file) for file in group}
    session.bind("texts", "parse_text", [file.path for file in group])
    for name, part in (("pages", "parse_data"), ("headers_of", "content")):
        found = [file.path for file in segment.part_files(part) if _key(file) in wanted]
        session.bind(name, part, found)


def _key(file: PartFile) -> tuple[int, str]:
    return file.list, file.stem.removesuffix(PARSED)


def record(row: dict[str, Any], segment: str) -> Record:
    """A row of sql/index.sql as the indexing filters take it."""
    return Record(
        url=row["url"],
        host=row["host"],
        domain=row["domain"],
        title=row["title"],
        text=row["text"],
        fetch_time=row["fetch_time"],
        modified_time=row["modified_time"],
        score=row["score"],
        signature=row["signature"].hex() if row["signature"] else None,
        segment=segment,
        content_type=row["content_type"],
        language=row["language"],
        noarchive=row["noarchive"],
        anchors=row["anchors"] or (),
        parse_metadata=_texts(row["parse_metadata"]),
        db_metadata=_texts(row["db_metadata"]),
        headers=[(name, value) for name, value in json.loads(row["headers"] or "[]")],
    )


def _texts(metadata: str | None) -> dict[str, str | list[str]]:
    found = json.loads(metadata or "{}")
    return {
        name: [str(item) for item in value] if isinstance(value, list) else str(value)
        for name, value in found.items()
    }
