"""SQL for a page: a session that is stopped when it takes too long."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.storage.crawl_dir import CrawlDir
from crawl_ops.storage.session import Session

LONGEST_S = 20.0


@contextmanager
def page_session(
    crawl: CrawlDir, config: CrawlConfig, longest_s: float = LONGEST_S
) -> Iterator[Session]:
    """A session whose running statement fails (StoreError) after `longest_s` seconds in all."""
    with crawl.session(config) as session:
        timer = threading.Timer(longest_s, session.connection.interrupt)
        timer.daemon = True
        timer.start()
        try:
            yield session
        finally:
            timer.cancel()
