"""The crawls that there are in the store."""

import re

from crawl_ops.config.places import CRAWL_ID, home, store
from crawl_ops.storage.crawl_dir import MARK

USUAL = "crawl"
"""The crawl that is not in crawls/ of the project folder, but beside it."""


def crawl_ids() -> list[str]:
    """Their names, in order. Raises ConfigError for a store that is no folder."""
    folder = store()
    marks = (folder or home() / "crawls").glob(f"*/{MARK}")
    names = {mark.parent.name for mark in marks if re.fullmatch(CRAWL_ID, mark.parent.name)}
    if folder is None and (home() / USUAL / MARK).is_file():
        names.add(USUAL)
    return sorted(names)
