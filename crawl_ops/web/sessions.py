"""SQL for a page: a session that is stopped when it takes too long."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.errors import CrawlError, StoreError
from crawl_ops.storage.crawl_dir import CrawlDir
from crawl_ops.storage.session import Session

LONGEST_S = 20.0


class TooLongError(CrawlError):
    """A question that a page cannot wait for. Asking again does not help."""


@contextmanager
def page_session(
    crawl: CrawlDir, config: CrawlConfig, longest_s: float = LONGEST_S
) -> Iterator[Session]:
    """A session whose running statement is stopped after `longest_s` seconds in all.

    Raises TooLongError then.
    """
    with crawl.session(config) as session:
        late = threading.Event()
        timer = threading.Timer(longest_s, _stop, (session, late))
        timer.daemon = True
        timer.start()
        try:
            yield session
        except StoreError as error:
            if late.is_set():
                raise TooLongError("This takes too long for a page; ask with crawl-ops.") from error
            raise
        finally:
            timer.cancel()


def _stop(session: Session, late: threading.Event) -> None:
    late.set()
    session.connection.interrupt()
