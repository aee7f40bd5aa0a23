"""Writing several segments as one: of each URL what the newest answer brought, file by file."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import pyarrow as pa

from crawl_ops.storage.schema import schemas
from crawl_ops.storage.segment import FETCH, PARSE, PARSED, PartFile, Segment
from crawl_ops.storage.session import Session
from crawl_ops.storage.views import part_select, rows_select

LIST = 0
PACK_BYTES = 64 << 20  # of files that are written as one of each part
GROUP_BYTES = 16 << 20
BATCH_ROWS = 256
LINK_ROWS = 32_768
PAGE_PARTS = ("content", "parse_data", "parse_text")
STATEMENTS = {"crawl_fetch": "mergesegs_fetch", "crawl_parse": "mergesegs_links"}

Pack = dict[str, list[PartFile]]


def write_merged(session: Session, merged: Segment, sources: Sequence[Segment]) -> dict[str, int]:
    """Write all parts of `merged`, as one finished fetch list; nothing of it can be seen before
    `Segment.publish`. Returns its list's numbers of `urls` and `hosts`.

    Never more than some row groups of content are in memory. Files that were written together stay
    together: what belongs to a row of crawl_fetch is in the files of its name.
    """
    _choose(session, sources)
    for part, table in (
        ("crawl_generate", "generated"),
        ("rejected", "rejected"),
        ("robots", "robots"),
    ):
        session.bind_select(table, part_select(session, sources, part))
        _copy(session, merged, part)
    number = 0
    for source in sources:
        session.create("kept", "mergesegs_kept", segment=source.name)
        for pack in _packs(source):
            number += _write_pack(session, merged, source, pack, f"m.{number:04}")
    return _finish(session, merged, sources)


def _choose(session: Session, sources: Sequence[Segment]) -> None:
    """`winners`: the fetch of each URL that stays. `unfetched`: sources of links without one."""
    session.bind_select("fetches", rows_select(session, sources, "crawl_fetch"))
    session.create("winners", "mergesegs_winners")
    session.bind_select("links", part_select(session, sources, "crawl_parse"))
    session.create("unfetched", "mergesegs_unfetched")


def _copy(session: Session, merged: Segment, part: str) -> None:
    """Write a part that is not kept page by page."""
    path = f"{merged.folder}/{part}/list-{LIST:03}/m.0000.parquet"
    rows, _ = session.copy(f"mergesegs_{part.removeprefix('crawl_')}", part, path)
    if not rows:
        merged.files.remove(path)


def _packs(source: Segment) -> Iterator[Pack]:
    """The files of a segment that were written together, with others up to PACK_BYTES."""
    units: dict[tuple[int, str], Pack] = {}
    for part in (*STATEMENTS, *PAGE_PARTS):
        for file in source.part_files(part):
            unit = units.setdefault((file.list, file.stem.removesuffix(PARSED)), {})
            unit.setdefault(part, []).append(file)
    pack: Pack = {}
    size = 0
    for _, unit in sorted(units.items()):
        bytes_ = sum(source.files.size(file.path) for files in unit.values() for file in files)
        if pack and size + bytes_ > PACK_BYTES:
            yield pack
            pack, size = {}, 0
        for part, files in unit.items():
            pack.setdefault(part, []).extend(files)
        size += bytes_
    if pack:
        yield pack


def _write_pack(session: Session, merged: Segment, source: Segment, pack: Pack, stem: str) -> bool:
    """Write what stays of some files under one name; False if nothing does."""
    written = False
    for part in (*PAGE_PARTS, *reversed(STATEMENTS)):  # crawl_fetch last
        session.bind("rows", part, [file.path for file in pack.get(part, ())])
        with merged.part_writer(part, LIST, stem) as writer:
            rows = 0
            for table in _grouped(part, _staying(session, source, part)):
                writer.write(table)
                rows += table.num_rows
            # A file counts by the name of its crawl_fetch: that may have no rows.
            if rows or (part == "crawl_fetch" and written):
                writer.publish()
                written = True
    return written


def _staying(session: Session, source: Segment, part: str) -> Iterator[pa.RecordBatch]:
    if part == "crawl_parse":
        yield from session.arrow(STATEMENTS[part], LINK_ROWS, segment=source.name)
        return
    with session.joins_as_written():
        yield from session.arrow(STATEMENTS.get(part, "mergesegs_page"), BATCH_ROWS)


def _grouped(part: str, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.Table]:
    """Batches as tables of the part's schema, of GROUP_BYTES or what makes a row group."""
    held: list[pa.RecordBatch] = []
    for batch in batches:
        held.append(batch)
        if sum(one.nbytes for one in held) >= GROUP_BYTES:
            yield _table(part, held)
            held = []
    if held:
        yield _table(part, held)


def _table(part: str, batches: Sequence[pa.RecordBatch]) -> pa.Table:
    table = pa.Table.from_batches(batches)
    # What DuckDB gives may say that a column can be NULL where the schema says not.
    return pa.Table.from_arrays(table.columns, schema=schemas()[part])


def _finish(session: Session, merged: Segment, sources: Sequence[Segment]) -> dict[str, int]:
    """Note that the list is fetched and parsed, with counts as fetch and parse have them."""
    for fingerprint in {noted for source in sources for noted in source.filters_noted() or [""]}:
        merged.note_filters(fingerprint)
    for part in ("crawl_generate", "crawl_fetch", "rejected", "parse_data", "crawl_parse"):
        session.bind_part(merged, part)
    for job in (FETCH, PARSE):
        counts = {row["outcome"]: row["n"] for row in session.rows(f"{job}_counts")}
        merged.finish(job, LIST, {"counts": counts})
    (size,) = session.rows("mergesegs_hosts")
    return dict(size)


def merged_info(name: str, sources: Sequence[Segment], size: dict[str, int]) -> dict[str, Any]:
    """What segment.json says of a merged segment: as the newest source, but of no run.

    merged: the segments it stands for, also those that were merged before.
    """
    infos = [source.info() for source in sources]
    stands_for = {source.name for source in sources}
    stands_for.update(older for info in infos for older in info.get("merged", ()))
    own = {"lists": [{"list": LIST, **size, "expected_s": 0.0}], "merged": sorted(stands_for)}
    of_none = dict.fromkeys(("run_id", "depth", "of_segment"), None)
    plain = {**infos[-1], "redo": 0, "of_segments": [], **of_none, **own, "segment": name}
    return plain | {"created": max(info["created"] for info in infos)}
