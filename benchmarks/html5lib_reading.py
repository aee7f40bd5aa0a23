"""Title and links of a page as html5lib reads it: the tree of the HTML standard, slowly.

Written apart from crawl_ops, so that it can be held against it.
"""

from collections.abc import Iterator
from typing import Any
from urllib.parse import urldefrag

import ada_url
import html5lib

LINKS = {
    "a": "href",
    "area": "href",
    "frame": "src",
    "iframe": "src",
    "img": "src",
    "link": "href",
    "script": "src",
    "source": "src",
}
NOT_FOLLOWED = {"nofollow", "ugc", "sponsored"}
NO_PAGES = ("javascript:", "mailto:", "tel:", "data:", "about:")


def read(content: bytes, url: str, charset: str | None) -> tuple[str, set[str]]:
    """The title, white space collapsed, and the http(s) targets of all links of a page."""
    parser = html5lib.HTMLParser(namespaceHTMLElements=False)
    tree = parser.parse(content, transport_encoding=charset)
    title, base = None, None
    found: list[str] = []
    for element in _elements(tree):
        name = element.tag
        if name == "title" and title is None:
            title = " ".join("".join(element.itertext()).split())
        elif name == "base" and base is None:
            base = element.get("href")
        elif name in LINKS and not NOT_FOLLOWED & {*element.get("rel", "").lower().split()}:
            found += [target for target in (element.get(LINKS[name]),) if target]
    base_url = _joined(url, base) if base is not None else url
    joined = (_joined(base_url or url, target) for target in found)
    return title or "", {target for target in joined if target is not None}


def _elements(element: Any) -> Iterator[Any]:
    """All elements in their order, without what is in templates."""
    waiting = [element]
    while waiting:
        one = waiting.pop()
        if isinstance(one.tag, str) and one.tag != "template":
            yield one
            waiting += reversed(list(one))


def _joined(base: str, target: str) -> str | None:
    if target.strip().lower().startswith(NO_PAGES):
        return None
    try:
        url = urldefrag(str(ada_url.join_url(base, target))).url
    except ValueError:
        return None
    return url if url.startswith(("http://", "https://")) else None
