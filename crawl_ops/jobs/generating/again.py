"""URLs of folded segments that are to be asked for again, and what their redo has led to."""

from crawl_ops.errors import NotFoundError
from crawl_ops.storage.crawl_dir import CrawlDir
from crawl_ops.storage.manifest import Manifest
from crawl_ops.storage.runs import Claim
from crawl_ops.storage.session import Session


def count_again(session: Session, crawl: CrawlDir, manifest: Manifest, wanted: Claim) -> int:
    """Make `again`: the URLs of wanted.of_segments that failed, or all. Returns their number.

    A page that was had elsewhere in the meantime has not failed.
    """
    session.bind_rows("asked", "crawl_generate", [])
    session.bind_rows("answered", "crawl_fetch", [])
    since = wanted.cur_time
    for name in wanted.of_segments:
        try:
            segment = crawl.segment(name)
        except NotFoundError:  # retention has removed it
            continue
        since = min(since, segment.info()["created"])
        session.bind_part(segment, "crawl_generate")
        session.bind_part(segment, "crawl_fetch")
        session.append("asked", "generate_asked")
        session.append("answered", "generate_answered")
    session.bind_table("crawldb", manifest)
    return session.create(
        "again",
        "generate_redo",
        everything=wanted.everything,
        lists=list(wanted.lists),
        hosts=list(wanted.hosts),
        since=since,
    )


def count_led_to(session: Session, crawl: CrawlDir, manifest: Manifest, wanted: Claim) -> int:
    """Make `led_to`: keys that the links of wanted.following name. Returns how many are due."""
    if wanted.following is None:
        return 0
    session.bind_part(crawl.segment(wanted.following), "crawl_parse")
    session.create("led_to", "generate_led_to")
    session.bind_table("crawldb", manifest)
    return int(session.rows("generate_led_to_due", cur_time=wanted.cur_time)[0]["urls"])
