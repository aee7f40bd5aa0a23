"""What the pages ask the crawl for: hosts, segments, a URL, the index, the configuration."""

from datetime import datetime
from typing import Any

from crawl_ops.config.load import load
from crawl_ops.config.properties import CrawlConfig
from crawl_ops.errors import NotFoundError
from crawl_ops.index.search import search
from crawl_ops.jobs import readdb, readseg
from crawl_ops.jobs.explain import explain
from crawl_ops.storage.ask import plain
from crawl_ops.web.runs import RunCrawl, config_file_of, config_of, refuse_foreign_rules
from crawl_ops.web.sessions import page_session

ROWS_MOST = 100
HITS_MOST = 20
OFFSET_MOST = 10_000
SEGMENTS_MOST = 100
LISTS_MOST = 256
STEPS_MOST = 200
TEXT_MOST = 2_000
HOST_ORDERS = (
    "host",
    "fetched",
    "unfetched",
    "redirects",
    "gone",
    "duplicate",
    "failing",
    "response_ms",
)
SECRET_WORDS = ("password", "secret", "token", "cookie", "credential")


def hosts(
    found: RunCrawl, config: CrawlConfig, part: str, order: str, offset: int
) -> dict[str, Any]:
    """Hosts of the crawl whose name contains `part`."""
    with page_session(found.crawl, config) as session:
        session.bind_table("hostdb", found.crawl.table("hostdb").current())
        rows = session.rows(
            "web_hosts", part=part.lower(), order=order, most=ROWS_MOST, offset=offset
        )
    total = rows[0]["total"] if rows else 0
    shown = [{name: plain(v) for name, v in row.items() if name != "total"} for row in rows]
    return {"total": total, "offset": offset, "most": ROWS_MOST, "hosts": shown}


def url_story(found: RunCrawl, config: CrawlConfig, url: str, now: datetime) -> dict[str, Any]:
    """Why a URL is or is not known, fetched, parsed, indexed; and its record."""
    refuse_foreign_rules(config, config_file_of(found.run))
    story = explain(found.crawl, config, url, now)
    steps = [{name: _short(value) for name, value in step.items()} for step in story["steps"]]
    record = readdb.record(found.crawl, config, url)
    return {
        **story,
        "steps": steps[:STEPS_MOST],
        "left_off": max(len(steps) - STEPS_MOST, 0),
        "record": {name: _short(plain(value)) for name, value in (record or {}).items()} or None,
    }


def index_hits(found: RunCrawl, query: str, offset: int) -> dict[str, Any]:
    """Documents of the crawl's index."""
    result = search(found.crawl.index_location, query, HITS_MOST, offset)
    hits = [
        {name: _short(value) for name, value in hit.items()} for hit in result.as_dict()["hits"]
    ]
    return {"total": result.total, "offset": offset, "most": HITS_MOST, "hits": hits}


def segments(found: RunCrawl) -> dict[str, Any]:
    """The newest segments of the crawl, newest first; those of the run are marked."""
    mine = set(found.segments)
    names = found.crawl.segments()
    newest = names[::-1][:SEGMENTS_MOST]
    rows = [readseg.summary(found.crawl, name) | {"mine": name in mine} for name in newest]
    return {"total": len(names), "segments": rows}


def segment(found: RunCrawl, name: str) -> dict[str, Any]:
    """One segment of the crawl and each of its fetch lists. Raises NotFoundError."""
    if name not in found.crawl.segments():
        raise NotFoundError("There is no such segment; retention removes old ones.")
    opened = found.crawl.segment(name)
    info = opened.info()
    lists = [
        {
            **{key: entry.get(key) for key in ("list", "urls", "hosts", "expected_s")},
            "fetched": (opened.done("fetch", entry["list"]) or {}).get("counts"),
            "parsed": (opened.done("parse", entry["list"]) or {}).get("counts"),
        }
        for entry in info["lists"][:LISTS_MOST]
    ]
    return {
        **readseg.summary(found.crawl, name),
        "mine": name in found.segments,
        "redo": info.get("redo") or 0,
        "of_segment": info.get("of_segment"),
        "each": lists,
    }


def configuration(found: RunCrawl) -> dict[str, Any]:
    """Every property with its value in force and its default; secrets are not told."""
    config = config_of(found, {})
    usual = load().as_properties()
    rows = [
        {
            "name": name,
            "value": _hidden(name, value),
            "default": _hidden(name, usual[name]),
            "changed": value != usual[name],
        }
        for name, value in config.as_properties().items()
    ]
    return {"properties": rows}


def _hidden(name: str, value: object) -> object:
    return "***" if value and any(word in name for word in SECRET_WORDS) else _short(value)


def _short(value: Any) -> Any:
    """Text of strangers is not longer than a page can show."""
    text = value if isinstance(value, str) else None
    if text is not None and len(text) > TEXT_MOST:
        return text[:TEXT_MOST] + "…"
    return value
