"""URLs of folded segments that are to be asked for again, and what their redo has led to."""

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.errors import NotFoundError
from crawl_ops.storage.crawl_dir import CrawlDir
from crawl_ops.storage.manifest import Manifest
from crawl_ops.storage.runs import Claim
from crawl_ops.storage.session import Session


def count_again(session: Session, crawl: CrawlDir, manifest: Manifest, wanted: Claim) -> int:
    """Make `again`: the URLs of wanted.of_segments that failed, or all. Returns their number.

    A page that was had elsewhere in the meantime has not failed. Raises NotFoundError for a fetch
    list or host that none of the segments has.
    """
    session.bind_rows("asked", "crawl_generate", [])
    session.bind_rows("answered", "crawl_fetch", [])
    since = wanted.cur_time
    lists: set[int] = set()
    for name in wanted.of_segments:
        try:
            segment = crawl.segment(name)
        except NotFoundError:  # retention has removed it
            continue
        since = min(since, segment.info()["created"])
        lists.update(segment.lists())
        session.bind_part(segment, "crawl_generate")
        session.bind_part(segment, "crawl_fetch")
        session.append("asked", "generate_asked")
        session.append("answered", "generate_answered")
    _check_there(session, wanted, lists)
    session.bind_table("crawldb", manifest)
    return session.create(
        "again",
        "generate_redo",
        everything=wanted.everything,
        lists=list(wanted.lists),
        hosts=list(wanted.hosts),
        since=since,
    )


def _check_there(session: Session, wanted: Claim, lists: set[int]) -> None:
    """Raises NotFoundError for a fetch list or host that is asked for, and no segment has."""
    of = wanted.of_segments
    where = f"segment {of[0]} does not have" if len(of) == 1 else f"none of {len(of)} segments has"
    for number in wanted.lists:
        if number not in lists:
            raise NotFoundError(f"{where} a fetch list {number}")
    if wanted.hosts:
        there = {row["host"] for row in session.rows("redo_known", hosts=list(wanted.hosts))}
        for host in wanted.hosts:
            if host not in there:
                raise NotFoundError(f"{where} URLs of host {host}")


def count_led_to(
    session: Session, crawl: CrawlDir, config: CrawlConfig, manifest: Manifest, wanted: Claim
) -> int:
    """Make `led_to`: keys that the links of wanted.following name. Returns how many are due."""
    if wanted.following is None:
        return 0
    session.bind_part(crawl.segment(wanted.following), "crawl_parse")
    session.create("led_to", "generate_led_to")
    session.bind_table("crawldb", manifest)
    due = {"cur_time": wanted.cur_time, "interval_max": config.db.fetch_interval_max}
    return int(session.rows("generate_led_to_due", **due)[0]["urls"])
