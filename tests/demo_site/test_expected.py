"""expected.json against the site itself, by a crawl so simple that it can be read in one go.

It knows nothing of crawl_ops: html.parser, urllib.parse, sets. What depends on how pages are
scored (which of two equal pages stays) it takes from the file, and checks that they are equal.
"""

import http.client
import re
import urllib.robotparser
import zlib
from collections import Counter
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urldefrag, urljoin, urlsplit

import pytest

RULES = Path(__file__).parents[2] / "include" / "regex-urlfilter.txt"
REDIRECTS = {301: "perm", 308: "perm", 302: "temp", 303: "temp", 307: "temp"}
STATUS = {400: "db_gone", 401: "db_gone", 404: "db_gone", 410: "db_gone"}
UNWANTED = {"nofollow", "ugc", "sponsored"}
CONTENT_LIMIT = 1_048_576
REDIRECT_MAX = 5


class Links(HTMLParser):
    """The links, title and robots wishes of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, set[str]]] = []
        self.title, self.base, self.robots, self._in_title = "", "", "", False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        self._in_title = tag == "title"
        if tag == "base":
            self.base = values["href"]
        elif tag == "meta" and values.get("name") == "robots":
            self.robots = values["content"]
        elif tag == "meta" and values.get("http-equiv") == "refresh":
            self.found.append((values["content"].partition("url=")[2], set()))
        else:
            for name in ("href", "src"):
                if name in values:
                    self.found.append((values[name], set(values.get("rel", "").split())))

    def handle_data(self, data: str) -> None:
        if self._in_title:
            self.title, self._in_title = data, False


class Answer(NamedTuple):
    status: int
    location: str
    type: str
    wishes: str
    body: bytes | None  # None: it cannot be unpacked


class SimpleCrawl:
    """Rounds over the site; `pages` has for each URL what expected.json says of it."""

    def __init__(self, seeds: list[str], depth: int) -> None:
        self.pages: dict[str, dict[str, Any]] = {}
        self.titles: dict[str, str] = {}
        self.bodies: dict[str, bytes] = {}
        self.refused: set[str] = set()
        self._rules = [
            (line[0] == "+", re.compile(line[1:]))
            for line in RULES.read_text(encoding="utf-8").splitlines()
            if line[:1] in ("+", "-")
        ]
        self._robots: dict[str, urllib.robotparser.RobotFileParser] = {}
        for seed in seeds:
            self._meet(seed, 0)
        for number in range(1, depth + 1):
            due = [url for url, page in self.pages.items() if page["round"] is None]
            for url in due:
                self._visit(url, number)

    def _meet(self, url: str, number: int) -> None:
        url = re.sub(r";jsessionid=[^?#]*", "", urldefrag(url).url)
        decided = next((accepts for accepts, rule in self._rules if rule.search(url)), False)
        if not decided:
            self.refused.add(url)
        elif url not in self.pages:
            page = {"status": "db_unfetched", "first_seen": number, "round": None}
            self.pages[url] = page | {"requested": False, "indexed": False}

    def _visit(self, url: str, number: int) -> None:
        for _ in range(REDIRECT_MAX + 1):
            target = self._fetch(url, number)
            if not target:
                return
            self._meet(target, number)
            if target not in self.pages or self.pages[target]["round"] is not None:
                return
            if urlsplit(target).netloc != urlsplit(url).netloc:
                return
            url = target

    def _fetch(self, url: str, number: int) -> str | None:
        page = self.pages[url]
        page["round"] = number
        if not self._allowed(url, number):
            page["status"] = "db_gone"
            return None
        answer = ask(url)
        page["requested"] = True
        if answer.status in REDIRECTS:
            page["status"] = f"db_redir_{REDIRECTS[answer.status]}"
            return urljoin(url, answer.location)
        if answer.status == 200 and answer.body is not None:
            page["status"] = "db_fetched"
            self._parse(url, answer, number)
        else:
            page["status"] = STATUS.get(answer.status, "db_unfetched")
        return None

    def _allowed(self, url: str, number: int) -> bool:
        origin = "{0.scheme}://{0.netloc}".format(urlsplit(url))
        if origin not in self._robots:
            answer = ask(origin + "/robots.txt")
            body = (answer.body or b"") if answer.status == 200 else b""
            # The standard library takes the first rule that fits; RFC 9309 the longest.
            lines = sorted(body.decode("utf-8-sig").splitlines(), key=_allow_first)
            robots = urllib.robotparser.RobotFileParser()
            robots.parse(lines)
            self._robots[origin] = robots
            for line in lines:
                if line.startswith("Sitemap: "):
                    self._meet(line.removeprefix("Sitemap: "), number)
                    self._fetch(line.removeprefix("Sitemap: "), number)
        return self._robots[origin].can_fetch("crawl-ops-demo", url)

    def _parse(self, url: str, answer: Answer, number: int) -> None:
        assert answer.body is not None
        if answer.type == "application/octet-stream" or len(answer.body) > CONTENT_LIMIT:
            return
        if answer.type.endswith("xml"):
            for link in locations(url, answer):
                self._meet(link, number)
            self.pages[url]["indexed"] = b"<rss" in answer.body
            return
        self.bodies[url] = answer.body
        html = Links()
        if answer.type.startswith("text/html"):
            html.feed(decoded(answer))
        wishes = answer.wishes + html.robots
        self.titles[url] = html.title
        self.pages[url]["indexed"] = "noindex" not in wishes
        for href, rel in html.found if "nofollow" not in wishes else ():
            if not rel & UNWANTED:
                self._meet(urljoin(urljoin(url, html.base), href), number)


def _allow_first(line: str) -> int:
    # Within the group: its first line is the agent's.
    return 0 if line.startswith("User-agent: *") else 1 if line.startswith("Allow") else 2


def ask(url: str) -> Answer:
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.netloc, timeout=10)
    try:
        connection.request("GET", parts.path + (f"?{parts.query}" if parts.query else ""))
        answer = connection.getresponse()
        body: bytes | None = answer.read()
        if answer.getheader("Content-Encoding") == "gzip" and body is not None:
            body = unpacked(body)
        header = answer.headers.get
        location, type_ = header("Location", ""), header("Content-Type", "")
        return Answer(answer.status, location, type_, header("X-Robots-Tag", ""), body)
    finally:
        connection.close()


def unpacked(body: bytes) -> bytes | None:
    try:
        return zlib.decompress(body, wbits=31)
    except zlib.error:
        return None


def decoded(answer: Answer) -> str:
    assert answer.body is not None
    named = re.search(rb"charset=[\"']?([\w-]+)", answer.type.encode() + answer.body)
    return answer.body.decode(named[1].decode() if named else "utf-8-sig")


def locations(url: str, answer: Answer) -> Iterator[str]:
    text = (answer.body or b"").decode()
    if "<urlset" in text:
        own = urljoin(url, "/")
        yield from (loc for loc in re.findall("<loc>(.*?)</loc>", text) if loc.startswith(own))
    else:
        yield from re.findall("<link>(.*?)</link>", text)


@pytest.fixture(scope="module")
def expected(site: Any) -> dict[str, Any]:
    return dict(site.expected())


@pytest.fixture(scope="module")
def crawl(expected: dict[str, Any]) -> SimpleCrawl:
    return SimpleCrawl(expected["seeds"], expected["depth"])


def test_every_page_comes_to_what_is_expected(crawl: SimpleCrawl, expected: dict[str, Any]) -> None:
    names = ("status", "first_seen", "round", "requested", "indexed")
    known = {url: page for url, page in expected["pages"].items() if page["status"]}
    wanted = {url: {name: page[name] for name in names} for url, page in known.items()}
    for page in wanted.values():
        if page["status"] == "db_duplicate":
            page |= {"status": "db_fetched", "indexed": True}
    assert crawl.pages == wanted


def test_what_is_never_known_is_named(
    crawl: SimpleCrawl, expected: dict[str, Any], site: Any
) -> None:
    unknown = {url for url, page in expected["pages"].items() if page["status"] is None}
    assert not unknown & crawl.pages.keys()
    assert {url for url in crawl.refused if url.startswith(site.origins)} <= unknown


def test_titles(crawl: SimpleCrawl, expected: dict[str, Any]) -> None:
    titles = {url: page["title"] for url, page in expected["pages"].items() if "title" in page}
    assert len(titles) > 40
    assert {url: crawl.titles[url] for url in titles} == titles


def test_duplicates_are_those_pages_that_are_equal(
    crawl: SimpleCrawl, expected: dict[str, Any]
) -> None:
    same: dict[bytes, set[str]] = {}
    for url, body in crawl.bodies.items():
        same.setdefault(body, set()).add(url)
    groups = {frozenset(urls) for urls in same.values() if len(urls) > 1}
    kept: dict[str, set[str]] = {}
    for url, page in expected["pages"].items():
        if page["status"] == "db_duplicate":
            kept.setdefault(page["duplicate_of"], {page["duplicate_of"]}).add(url)
    assert groups == {frozenset(urls) for urls in kept.values()}


def test_the_sums_are_those_of_the_pages(expected: dict[str, Any]) -> None:
    pages = expected["pages"].values()
    assert expected["stats"] == Counter(page["status"] for page in pages if page["status"])
    assert expected["indexed"] == sum(page["indexed"] for page in pages)
    for row in expected["rounds"]:
        number = row["round"]
        assert row["first_seen"] == sum(page["first_seen"] == number for page in pages)
        decided = [page for page in pages if page["round"] == number]
        assert row["fetched"] == len(decided)
        assert row["requested"] == sum(page["requested"] for page in decided)


def test_whatever_is_not_in_the_index_has_a_reason(expected: dict[str, Any]) -> None:
    for page in expected["pages"].values():
        assert page["indexed"] == ("why" not in page)
        re.compile(page.get("why", ""))


def test_searches_find_pages_that_are_indexed(expected: dict[str, Any]) -> None:
    assert len(expected["searches"]) >= 5
    assert all(expected["pages"][search["url"]]["indexed"] for search in expected["searches"])
