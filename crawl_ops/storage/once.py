"""The rows of a part of a segment, each URL once, whoever fetched it how often."""

from collections.abc import Callable, Sequence

from crawl_ops.storage.segment import Segment

_WINNERS = """
    SELECT k, attempt FROM {rows}
    QUALIFY row_number() OVER (
        PARTITION BY k ORDER BY (fetch_status = 'fetch_success') DESC, fetch_time, attempt
    ) = 1
"""
_ONCE = ("crawl_fetch", "content", "parse_data", "parse_text", "crawl_parse", "rejected")


def part_rows(
    segment: Segment,
    part: str,
    lists: Sequence[int] | None,
    rows_of: Callable[[str, Sequence[str]], str],
) -> str:
    """The SELECT for a part; rows_of: the SELECT for files of a declared table."""
    rows = rows_of(part, [file.path for file in segment.part_files(part, lists)])
    if part not in _ONCE or not segment.has_several_attempts(lists):
        return rows
    fetched = rows_of("crawl_fetch", [f.path for f in segment.part_files("crawl_fetch", lists)])
    winners = _WINNERS.format(rows=f"({fetched})")
    if part in ("crawl_parse", "rejected"):
        # A link of a page that was fetched twice counts for the attempt that counts.
        key = "from_k" if part == "crawl_parse" else "k"
        return (
            f"SELECT r.* FROM ({rows}) r LEFT JOIN ({winners}) w ON w.k = r.{key}"
            " WHERE w.k IS NULL OR w.attempt = r.attempt"
        )
    return f"SELECT r.* FROM ({rows}) r SEMI JOIN ({winners}) w USING (k, attempt)"
