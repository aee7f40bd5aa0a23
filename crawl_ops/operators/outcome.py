"""What a run came to, for people: statuses per depth, what was not fetched and why, some hits."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from crawl_ops.config.load import load
from crawl_ops.errors import NotFoundError
from crawl_ops.operators.form import properties_of
from crawl_ops.operators.places import config_file, crawl_dir

if TYPE_CHECKING:
    from crawl_ops.storage.crawl_dir import CrawlDir

FETCHED = """
    SELECT segment, fetch_status AS status, count(*) AS urls
    FROM crawl_fetch GROUP BY ALL ORDER BY ALL
"""
KNOWN = "SELECT status, count(*) AS urls FROM crawldb GROUP BY status ORDER BY status"
NOT_FETCHED = """
    SELECT url, status, coalesce(reason, protocol_status, 'not asked for yet') AS reason
    FROM crawldb WHERE status NOT IN ('db_fetched', 'db_notmodified')
    ORDER BY status, reason, url
"""
HITS = 5


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
    _print("In the crawldb", ("status", "urls"), list(crawl.query(config, KNOWN)))
    left = list(crawl.query(config, NOT_FETCHED))
    _print("Not fetched, and why", ("status", "reason", "url"), left)
    found = search(crawl.index_location, query, HITS)
    hits = [{"score": f"{hit.score:.2f}", "title": hit.title, "url": hit.url} for hit in found.hits]
    _print(f"Search for {query!r}: {found.total} found", ("score", "title", "url"), hits)


def _depths(crawl: "CrawlDir", run_id: str) -> dict[str, int]:
    """The segments of a run, and their depths."""
    infos = {name: crawl.segment(name).info() for name in crawl.segments()}
    return {name: info["depth"] for name, info in infos.items() if info["run_id"] == run_id}


def _print(title: str, columns: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> None:
    table = Table(title=title, title_justify="left", box=None, pad_edge=False)
    for column in columns:
        table.add_column(column, overflow="fold")
    for row in rows:
        # Text, not markup: a URL or a title may hold square brackets.
        table.add_row(*(Text(str(row[column])) for column in columns))
    console = Console()
    console.print(table if rows else f"{title}: none")
    console.print()
