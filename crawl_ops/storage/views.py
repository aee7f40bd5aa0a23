"""The crawl as SQL views: every part of all segments, and the current tables."""

from collections.abc import Iterable, Mapping, Sequence

from crawl_ops.storage.crawl_dir import TABLES, CrawlDir
from crawl_ops.storage.merged import Merged
from crawl_ops.storage.schema import column_types, schemas, sql_text
from crawl_ops.storage.segment import PARTS, Segment
from crawl_ops.storage.session import Session

OVER_VIEWS = {"why_not": ("crawldb", "rejected")}
"""Views over other views: statements in sql/, and what they read."""
_OPEN = {"crawl_generate": "open_generate", "crawl_fetch": "open_fetch"}
VIEWS = (*TABLES, *PARTS, *OVER_VIEWS)
_HEAD = """\
-- The views of one crawl, for any DuckDB shell: .read views.sql
-- They name the files that there were when this was made; make it again to see newer ones.
SET TimeZone = 'UTC';
"""


def views_sql(crawl: CrawlDir, session: Session) -> str:
    """The views as a script with absolute paths."""
    selects = (f"CREATE OR REPLACE VIEW {v} AS {view_select(crawl, session, v)};" for v in VIEWS)
    return "\n".join((_HEAD, *selects, ""))


def bind_views(
    crawl: CrawlDir, session: Session, names: Iterable[str] = VIEWS, only: Sequence[str] = VIEWS
) -> None:
    """Make the views in a session; those that are not in `only` have their columns, but no rows.

    Looking up the files of thousands of segments takes time that an unused view is not worth.
    """
    read = {*only, *(below for name in only for below in OVER_VIEWS.get(name, ()))}
    for name in names:
        select = view_select(crawl, session, name) if name in read else _no_rows(name)
        session.selects[name] = select
        session.connection.execute(f"CREATE OR REPLACE TEMP VIEW {name} AS {select}")


def view_select(crawl: CrawlDir, session: Session, name: str) -> str:
    """The SELECT behind a view."""
    if name in TABLES:
        return _table_select(crawl, session, name)
    if name in OVER_VIEWS:
        folded = crawl.table("crawldb").current().segments
        unfolded = [crawl.segment(one) for one in crawl.segments() if one not in folded]
        return _over_views(name, {part: part_select(session, unfolded, part) for part in _OPEN})
    return part_select(session, map(crawl.segment, crawl.segments()), name)


def part_select(session: Session, segments: Iterable[Segment], part: str) -> str:
    """A part of several segments, each URL once a segment, with the segment's name in front."""
    plain: list[str] = []
    selects: list[str] = []
    columns = ", ".join(schemas()[part].names)
    for segment in segments:
        files = [file.path for file in segment.part_files(part)]
        if not files:
            continue
        if segment.has_several_attempts():
            rows = session.part_rows(segment, part)
            selects.append(f"SELECT {_literal(segment.name)} AS segment, {columns} FROM ({rows})")
        else:
            plain += map(session.files.location, files)
    if plain:
        selects.insert(0, f"SELECT {_SEGMENT_OF_FILE}, {columns} FROM {_parquet(plain)}")
    return " UNION ALL ".join(selects) or _no_rows(part)


def rows_select(session: Session, segments: Iterable[Segment], part: str) -> str:
    """Every row of a part, also of attempts that do not count, with segment and file."""
    columns = ", ".join(schemas()[part].names)
    files = [
        session.files.location(file.path)
        for segment in segments
        for file in segment.part_files(part)
    ]
    if not files:
        return f"SELECT *, '' AS file FROM ({_no_rows(part)})"
    return f"SELECT {_SEGMENT_OF_FILE}, {columns}, filename AS file FROM {_parquet(files)}"


_SEGMENT_OF_FILE = "string_split(filename, '/')[-4] AS segment"


def _table_select(crawl: CrawlDir, session: Session, name: str) -> str:
    manifest = crawl.table(name).current()
    if not manifest.files:
        return _no_rows(name)
    rows = Merged(name, session.files.location).select(manifest.bucket())
    return f"SELECT {manifest.version} AS version, * FROM ({rows})"


def _no_rows(name: str) -> str:
    if name in OVER_VIEWS:  # costs nothing until it is asked
        return _over_views(name, {part: _no_rows(part) for part in _OPEN})
    first = "CAST(NULL AS VARCHAR) AS segment"
    if name in TABLES:
        first = "CAST(NULL AS INTEGER) AS version"
    rest = ", ".join(f"CAST(NULL AS {kind}) AS {c}" for c, kind in column_types(name).items())
    return f"SELECT * FROM (SELECT {first}, {rest}) WHERE false"


def _over_views(name: str, unfolded: Mapping[str, str]) -> str:
    """A view over others, and over parts of the segments that the crawldb does not have yet."""
    parts = ", ".join(f"{_OPEN[part]} AS ({select})" for part, select in unfolded.items())
    return f"WITH {parts} SELECT * FROM (\n{sql_text(name)}\n)"


def _parquet(files: Sequence[str]) -> str:
    paths = ", ".join(map(_literal, files))
    return f"read_parquet([{paths}], filename = true)"


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
