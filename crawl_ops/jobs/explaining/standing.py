"""Where a URL stands now: how it came to be known, duplicates, the index, the next fetch."""

from collections.abc import Iterator
from datetime import datetime, timedelta

from crawl_ops.errors import CrawlError
from crawl_ops.index.search import get
from crawl_ops.jobs.explaining.evidence import Evidence, Round
from crawl_ops.jobs.explaining.story import Step, iso, joined
from crawl_ops.jobs.indexing.done import is_indexed
from crawl_ops.storage.crawl_dir import CrawlDir

NEVER_SEEN = "not known: never seen; no link to it was found, or only by links with nofollow"
REDIRECTED = ("db_redir_temp", "db_redir_perm")


def origin_steps(evidence: Evidence) -> Iterator[Step]:
    """How the URL came into the crawldb, where no segment tells."""
    injected = next((v for v in evidence.history if v.row is not None), None)
    if injected is not None and injected.manifest.job == "inject":
        yield Step("inject", "injected", "a seed", None, injected.created)
    elif evidence.row is not None and not any(
        found.links or _via(found) for found in evidence.rounds
    ):
        reason = "no stored page links to it: a seed, or linked from segments that are gone"
        yield Step("inject", "known", reason)


def _via(found: Round) -> bool:
    return found.fetch is not None and found.fetch["via"] is not None


def unknown_steps(evidence: Evidence) -> Iterator[Step]:
    """That the crawldb does not know the URL."""
    if evidence.row is not None:
        return
    if evidence.is_known:
        yield Step("crawldb", "unknown", "not known: the steps above say where it ended")
    else:
        yield Step("crawldb", "unknown", NEVER_SEEN)


def dedup_steps(evidence: Evidence) -> Iterator[Step]:
    """When the URL was marked as a duplicate, and of which."""
    was = told = False
    for version in evidence.history:
        row = version.row
        duplicate = row is not None and row["status"] == "db_duplicate"
        if row is not None and duplicate and not was and version.manifest.job == "dedup":
            told = True
            yield Step("dedup", "db_duplicate", row["reason"], None, version.created)
        was = duplicate
    if not told and evidence.row is not None and evidence.row["status"] == "db_duplicate":
        yield Step("dedup", "db_duplicate", evidence.row["reason"])


def index_step(crawl: CrawlDir, evidence: Evidence) -> Step:
    """Whether the URL is in the index, and why not."""
    try:
        document = get(crawl.index_location, evidence.url)
    except CrawlError as error:
        return Step("index", "unknown", f"the index cannot be read: {error}")
    if document is not None:
        segment = document.get("segment")
        return Step("index", "indexed", None, f"from segment {segment}" if segment else None)
    return Step("index", "not_indexed", _why_not_indexed(crawl, evidence))


def _why_not_indexed(crawl: CrawlDir, evidence: Evidence) -> str:
    row = evidence.row
    if row is None:
        return "not in the crawldb"
    status, reason = row["status"], row["reason"]
    if status == "db_unfetched":
        return joined("db_unfetched: not fetched yet", reason) or ""
    if status not in ("db_fetched", "db_notmodified"):
        return f"{status}: {reason}" if reason else status
    pages = [found for found in evidence.rounds if found.data is not None]
    if not pages:
        return "not parsed: no stored segment has its content"
    return _why_page_is_not(crawl, pages[-1])


def _why_page_is_not(crawl: CrawlDir, page: Round) -> str:
    data = page.data or {}
    if data["noindex"]:
        return "noindex: by its meta robots or X-Robots-Tag"
    if data["kind"] == "sitemap":
        return "a sitemap is no page"
    if not str(data["parse_status"]).startswith("success"):
        return joined(data["parse_status"], data["reason"]) or ""
    if not is_indexed(crawl, page.name):
        return f"segment {page.name} is not indexed yet"
    return "left out by an indexing filter or refused by an index writer"


def schedule_step(evidence: Evidence, now: datetime, interval_max: int) -> Step | None:
    """When the URL is due; what is later than interval_max (seconds) from now is due now."""
    row = evidence.row
    if row is None:
        return None
    waiting = next(
        (f for f in evidence.rounds if f.generated and f.name not in evidence.current.segments),
        None,
    )
    detail = f"interval {row['interval_s']} s"
    if waiting is not None:
        return Step("schedule", "waiting", f"in segment {waiting.name}, which is open", detail)
    if now < row["fetch_time"] <= now + timedelta(seconds=interval_max):
        return Step("schedule", "waiting", f"not due until {iso(row['fetch_time'])}", detail)
    return Step("schedule", "due", "may be in the next segment", detail)
