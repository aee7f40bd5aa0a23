"""What the crawldb has of the URLs that a small round touches, read in few columns."""

from crawl_ops.storage.segment import Segment
from crawl_ops.storage.session import Session
from crawl_ops.storage.table import Commit


def bind_touched(session: Session, commit: Commit, segment: Segment, keep: str) -> None:
    """`known`: rows that a round may change; `past`: those of fetched URLs (updatedb_past).

    fetched and linked are there. As long as the crawldb is the one that the fetch lists were taken
    from, the lists have most of what its rows say, and two thirds of the columns are not read.
    """
    whole = commit.parent.bucket()
    if segment.info().get("crawldb_version") != commit.parent.version:
        session.bind_placed("known", "crawldb", whole, keep)
        session.create("touching", "updatedb_touching")
        session.rename("touching", "known")
        session.create("past", "updatedb_past")
        return
    session.bind_bucket("stored", "crawldb", whole, keep)
    session.bind_part(segment, "crawl_generate")
    session.create("targets", "updatedb_targets")
    session.create("known", "updatedb_touched_rows")
    session.create("past", "updatedb_past_listed")
    for query in ("updatedb_past_of_hosts", "updatedb_past_of_keys"):
        if not session.create("wanted", "updatedb_past_wanted"):
            break
        session.append("past", query)
