"""Which URLs of a folder of pages are within so many links of a start page.

A walk over files with html.parser, written apart from crawl_ops, so that it can be held against it.
"""

import html
import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urljoin, urlsplit

import ada_url

from benchmarks.serve_folder import content_type, file_of

ORIGIN = "http://site.invalid"
LINKING = {
    "a": "href",
    "area": "href",
    "link": "href",
    "frame": "src",
    "iframe": "src",
    "script": "src",
    "img": "src",
    "source": "src",
}
NOT_FOLLOWED = {"nofollow", "ugc", "sponsored"}


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.base: str | None = None
        self.nofollow = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in reversed(attrs)}
        if tag == "base" and self.base is None:
            self.base = values.get("href")
        elif tag == "meta" and values.get("name", "").lower() == "robots":
            self.nofollow |= bool({"nofollow", "none"} & _words(values.get("content", "")))
        elif not NOT_FOLLOWED & _words(values.get("rel", "")):
            self.links += [values[name] for name in (LINKING.get(tag),) if name in values]


def _words(text: str) -> set[str]:
    return set(re.split(r"[\s,]+", text.lower()))


def reachable(root: Path, start: str, depth: int) -> set[str]:
    """The URL paths (with query) within `depth` links of `start` on the same host.

    Also those that name no file: a crawl must say what became of them.
    """
    root = root.resolve()
    seen, edge = {start}, [start]
    for _ in range(depth):
        found = {link for path in edge for link in links_of(root, path)}
        edge = sorted(found - seen)
        seen |= found
    return seen


def links_of(root: Path, path: str) -> set[str]:
    """The links of one page to its own host, as URL paths without fragments."""
    file = _file(root, path)
    if file is None or content_type(file) != "text/html":
        return set()
    page = _Page()
    page.feed(_text(file))
    if page.nofollow:
        return set()
    base = urljoin(ORIGIN + path, page.base or "")
    return {link for target in page.links if (link := _own(base, target)) is not None}


def _own(base: str, target: str) -> str | None:
    # Not urllib's urljoin, to which "x;" is "x" and "x?" is "x".
    try:
        url = str(ada_url.join_url(base, target)).partition("#")[0]
    except ValueError:
        return None
    return url.removeprefix(ORIGIN).removesuffix("?") if url.startswith(ORIGIN + "/") else None


def title_of(root: Path, path: str) -> str | None:
    """The title of an HTML page ('' where it has none); None where there is no such page."""
    file = _file(root.resolve(), path)
    if file is None or content_type(file) != "text/html":
        return None
    match = re.search(r"<title[^>]*>(.*?)</title>", _text(file), re.DOTALL | re.IGNORECASE)
    return " ".join(html.unescape(match[1]).split()) if match else ""


def _file(root: Path, path: str) -> Path | None:
    name = urlsplit(path).path
    file = file_of(root, name + "index.html" if name.endswith("/") else name)
    return file if file is not None and file.is_file() else None


def _text(file: Path) -> str:
    content = file.read_bytes()
    named = re.search(rb"charset=[\"']?([\w-]+)", content[:1024])
    try:
        return content.decode(named[1].decode() if named else "utf-8", errors="replace")
    except LookupError:
        return content.decode("utf-8", errors="replace")
