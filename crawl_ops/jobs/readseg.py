"""readseg: which segments there are, and what they hold of a URL."""

import base64
import json
from collections import Counter
from collections.abc import Sequence
from typing import Any

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.model import LinkKind
from crawl_ops.storage.crawl_dir import CrawlDir
from crawl_ops.storage.reading import read_again
from crawl_ops.storage.segment import Segment
from crawl_ops.storage.url_rows import Row, UrlRows
from crawl_ops.urls.chain import UrlChain
from crawl_ops.urls.identity import UrlIdentifier

OUTLINKS = (LinkKind.LINK, LinkKind.SITEMAP, LinkKind.FEED)
NOT_PAGES = ("links", "outlinks")


def segments(crawl: CrawlDir, config: CrawlConfig) -> list[dict[str, Any]]:  # noqa: ARG001
    """Every segment, oldest first, with what it was made for and how far it is.

    generated, fetched, parsed: numbers of URLs. folded: in the crawldb. counts: URLs by fetch
    status, parse status (`parse_…`) and rule that left them out (`left.…`), of finished lists.
    """
    return read_again(lambda: _summaries(crawl))


def _summaries(crawl: CrawlDir) -> list[dict[str, Any]]:
    folded = set(crawl.table("crawldb").current().segments)
    return [_summary(crawl.segment(name), name in folded) for name in crawl.segments()]


def summary(crawl: CrawlDir, name: str) -> dict[str, Any]:
    """One segment as `segments` has it. Raises NotFoundError."""
    folded = set(crawl.table("crawldb").current().segments)
    return _summary(crawl.segment(name), name in folded)


def _summary(segment: Segment, folded: bool) -> dict[str, Any]:
    info = segment.info()
    fetched, fetch_counts = _progress(segment, "fetch", "crawl_fetch")
    parsed, parse_counts = _progress(segment, "parse", "parse_data")
    return {
        "segment": segment.name,
        "created": info.get("created"),
        "run_id": info.get("run_id"),
        "depth": info.get("depth"),
        "lists": len(info["lists"]),
        "generated": sum(entry.get("urls", 0) for entry in info["lists"]),
        "fetched": fetched,
        "parsed": parsed,
        "folded": folded,
        "counts": {**fetch_counts, **{_named(name): n for name, n in parse_counts.items()}},
    }


def _named(name: str) -> str:
    return name if name in NOT_PAGES else f"parse_{name}"


def _progress(segment: Segment, job: str, part: str) -> tuple[int, Counter[str]]:
    """Rows of a part that a job has written so far, and the counts of its finished lists."""
    counts: Counter[str] = Counter()
    rows = 0
    for number in segment.lists():
        done = segment.done(job, number)
        if done is None:
            rows += _rows(segment, part, number)
            continue
        found = Counter(done.get("counts", {}))
        rows += sum(
            n for name, n in found.items() if name not in NOT_PAGES and not name.startswith("left.")
        )
        counts.update(found)
    return rows, counts


def _rows(segment: Segment, part: str, number: int) -> int:
    total = 0
    for file in segment.part_files(part, [number]):
        with segment.open_part(file, part) as parquet:
            total += parquet.metadata.num_rows
    return total


def get(
    crawl: CrawlDir, config: CrawlConfig, url: str, segment: str | None = None
) -> dict[str, Any] | None:
    """The newest record of a URL in all segments, or in the one named; None if there is none.

    When the newest fetch brought no content (304, a failure), content, title, text and outlinks
    are those of the newest fetch that did: `content_segment` names its segment.
    Raises NotFoundError for a segment that does not exist.
    """
    normalized = UrlChain(config, "default", filter=False).normalize(url)
    spellings = list(dict.fromkeys(filter(None, (normalized, url))))
    return read_again(lambda: _get(crawl, config, spellings, segment))


def _get(
    crawl: CrawlDir, config: CrawlConfig, spellings: Sequence[str], segment: str | None
) -> dict[str, Any] | None:
    names = crawl.segments() if segment is None else [segment]
    identifier = UrlIdentifier(crawl.seed)
    with crawl.session(config) as session:
        rows = UrlRows(session, map(crawl.segment, names))
        for wanted in spellings:
            k = identifier.identify(wanted).k
            fetches = [fetch for fetch in rows.fetches(k) if fetch["url"] == wanted]
            if fetches:
                return _record(rows, fetches)
    return None


def _record(rows: UrlRows, fetches: list[Row]) -> dict[str, Any]:
    newest = fetches[0]
    held, content = next(
        ((fetch, content) for fetch in fetches if (content := rows.page(fetch, "content"))),
        (newest, None),
    )
    data = rows.page(held, "parse_data")
    text = rows.page(held, "parse_text", ["text", "attempt"])
    page = content or {}
    parsed = data or {}
    return {
        "segment": newest["segment"],
        "url": newest["url"],
        "fetch_status": newest["fetch_status"],
        "protocol_status": newest["protocol_status"],
        "http_status": newest["http_status"],
        "fetch_time": newest["fetch_time"],
        "reason": newest["reason"] or parsed.get("reason"),
        "redirect_url": newest["redirect_url"],
        "content_segment": held["segment"] if content else None,
        "content_type": parsed.get("content_type") or page.get("content_type"),
        "charset": parsed.get("charset"),
        "parse_status": parsed.get("parse_status"),
        "title": parsed.get("title"),
        "text": text["text"] if text else None,
        "outlinks": _outlinks(rows, held),
        "metadata": json.loads(parsed.get("metadata") or "{}"),
        "content_b64": base64.b64encode(page["content"]).decode() if content else None,
        "headers": json.loads(page.get("headers") or "[]"),
        "truncated": page.get("truncated") or newest["truncated"],
    }


def _outlinks(rows: UrlRows, fetch: Row) -> list[dict[str, str]]:
    columns = ("to_url", "anchor", "kind", "position", "attempt")
    found = rows.of_fetch(fetch, "crawl_parse", columns, by="from_k")
    kept = sorted(
        (link["position"], link["to_url"], link["anchor"] or "")
        for link in found
        if link["kind"] in OUTLINKS
    )
    return [{"url": url, "anchor": anchor} for _, url, anchor in kept]
