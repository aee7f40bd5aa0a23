"""What a run came to, for people: statuses per depth, what was not fetched and why, some hits."""

import sys
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

from crawl_ops.config.load import load
from crawl_ops.config.places import config_file, crawl_dir
from crawl_ops.errors import NotFoundError
from crawl_ops.operators.form import properties_of

if TYPE_CHECKING:
    from crawl_ops.storage.crawl_dir import CrawlDir

FETCHED = """
    SELECT segment, fetch_status AS status, count(*) AS urls
    FROM crawl_fetch GROUP BY ALL ORDER BY ALL
"""
KNOWN = "SELECT status, count(*) AS urls FROM crawldb GROUP BY status ORDER BY status"
NOT_FETCHED = """
    SELECT coalesce(status, 'refused') AS status, url, reason
    FROM why_not ORDER BY why_not.status NULLS LAST, reason, url
"""
NEXT = """
    SELECT
        min(fetch_time)                                                      AS due,
        bool_or(NOT fetch_time BETWEEN now() AND now() + to_seconds({})) AS now
    FROM crawldb
"""
HITS = 5
MOST = 1000


def print_outcome(params: Mapping[str, Any], run_id: str, query: str, usual_id: str) -> None:
    """Print to standard output; nothing if the run ended before there was a crawl folder."""
    from crawl_ops.index.search import search
    from crawl_ops.storage.crawl_dir import CrawlDir

    config = load(config_file(params["config"]), properties_of(params))
    try:
        crawl = CrawlDir.open(crawl_dir(params["crawl_id"] or usual_id))
    except NotFoundError:
        return
    depths = _depths(crawl, run_id)
    fetched = [
        {"depth": depths[row["segment"]], **row}
        for row in crawl.query(config, FETCHED)
        if row["segment"] in depths
    ]
    _print("Asked for in this run", ("depth", "status", "urls", "segment"), fetched)
    for row in [] if fetched else crawl.query(config, NEXT.format(config.db.fetch_interval_max)):
        told = f"nothing is due before {row['due']}"
        if row["now"]:
            told = "what is due was not selected: the log of depth_01.generate says why"
        sys.stdout.write(f"  {told}\n")
    _print("In the crawldb", ("status", "urls"), list(crawl.query(config, KNOWN)))
    left = list(islice(crawl.query(config, NOT_FETCHED), MOST + 1))
    _print("Not fetched, and why", ("status", "url", "reason"), left[:MOST])
    if len(left) > MOST:
        sys.stdout.write(f"  ... and more: crawl-ops --dir {crawl.root} sql 'FROM why_not'\n")
    found = search(crawl.index_location, query, HITS)
    hits = [
        {"rank": place, "title": hit.title, "url": hit.url}
        for place, hit in enumerate(found.hits, start=1)
    ]
    _print(f"Search for {query!r}: {found.total} found", ("rank", "title", "url"), hits)


def _depths(crawl: "CrawlDir", run_id: str) -> dict[str, int]:
    """The segments of a run, and their depths."""
    infos = {name: crawl.segment(name).info() for name in crawl.segments()}
    return {name: info["depth"] for name, info in infos.items() if info["run_id"] == run_id}


def _print(title: str, columns: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> None:
    """A table in plain text; the last column is as wide as it likes."""
    lines = [[_plain(row[column]) for column in columns] for row in rows]
    lines.insert(0, list(columns))
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    sys.stdout.write(f"\n{title}{'' if rows else ': none'}\n")
    for line in lines if rows else ():
        cells = [cell.ljust(width) for cell, width in zip(line, widths, strict=True)]
        sys.stdout.write("  ".join(["", *cells]).rstrip() + "\n")


def _plain(value: Any) -> str:
    """Text of strangers on a terminal: no control characters."""
    return "".join(letter if letter.isprintable() else " " for letter in str(value))
