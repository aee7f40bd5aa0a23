"""Crawls five of Debian's documentation packages and holds sampled pages against html5lib.

python benchmarks/debian_docs.py [--package libboost1.74-doc]... [--pages 500] [--work DIR]

The packages have broken links, 26 languages, <base>, EUC-KR. Each is served on a loopback address
and crawled through the command line, from the start page of every language. Exit 1 when a URL that
was found is neither fetched nor explained, or when titles and links of less than 99 % of the
sampled pages are what html5lib reads in the same bytes.
"""

import argparse
import base64
import random
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urldefrag

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.doc_packages import PackageError, fetch_package
from benchmarks.html5lib_reading import read
from benchmarks.real_sites import (
    Account,
    Command,
    CommandError,
    account_for,
    explained_by,
    fresh_folder,
)
from benchmarks.reference_walk import reachable, title_of
from benchmarks.serve_folder import FolderServer
from crawl_ops.config.load import load
from crawl_ops.parse.page import Page
from crawl_ops.parse.parsers import Parsers

HERE = Path(__file__).resolve().parents[1]
AGREE_LEAST = 0.99
PAGES = """
SELECT content.url, content.content_type, base64(content.content) AS content_b64, parse_data.title
FROM content JOIN parse_data USING (url, segment) WHERE content.url IN ({})
"""
FRONTIER_SAMPLE = 30
SHOWN = 10


class Site(NamedTuple):
    """Where the pages are, the pattern of start pages, and how many links the crawl goes."""

    root: str
    starts: str
    links: int


SITES: dict[str, Site] = {
    "apache2-doc": Site("usr/share/doc/apache2-doc/manual", "*/index.html", 3),
    "sqlite3-doc": Site("usr/share/doc/sqlite3", "index.html", 4),
    "debian-handbook": Site("usr/share/doc/debian-handbook/html", "*/index.html", 2),
    "installation-guide-amd64": Site("usr/share/doc/installation-guide-amd64", "*/index.html", 2),
    "libboost1.74-doc": Site("usr/share/doc/libboost1.74-doc", "doc/html/index.html", 8),
}


@dataclass(slots=True)
class Compared:
    """Sampled pages that were read by both."""

    pages: int = 0
    titles: int = 0
    links: int = 0
    both: int = 0
    different: list[str] = field(default_factory=list)


def crawl(
    package: str, site: Site, work: Path, address: str, compared: Compared, pages: int
) -> Account:
    """Serve, crawl, account for and sample one unpacked package."""
    root = fetch_package(package, work) / site.root
    starts = sorted(f"/{file.relative_to(root)}" for file in root.glob(site.starts))
    paths = set().union(*(reachable(root, start, site.links) for start in starts))
    account = Account(package, site.links, reached=len(paths))
    html = [path for path in sorted(paths) if title_of(root, path) is not None]
    account.pages = len(html)
    with FolderServer(root, address) as server:
        folder = fresh_folder(work / f"{package}.crawl")
        seeds = folder / "seeds.txt"
        seeds.write_text("".join(f"{server.origin}{start}\n" for start in starts))
        command = Command(folder)
        began = time.monotonic()
        depth = str(site.links + 1)
        account.indexed = command("crawl", "--seeds", str(seeds), "--depth", depth)[-1]["indexed"]
        account.seconds = time.monotonic() - began
        good = {path for status, path in server.requests if status == 200}
        account.served = len(good - {"/robots.txt"})
        account.repeated = sum(n > 1 for (_, path), n in server.requests.items() if path in paths)
        account_for(command, server.origin, sorted(paths), account)
        account.unexplained += _frontier(command)
        chosen = random.Random(package).sample(html, min(pages, len(html)))
        compare(command, server.origin, chosen, compared)
    return account


def _frontier(command: Command) -> list[str]:
    """URLs of the crawldb that were not fetched and say nothing: explain has to say why."""
    silent = command(
        "sql",
        "SELECT url FROM crawldb WHERE status = 'db_unfetched' AND reason IS NULL ORDER BY k"
        f" LIMIT {FRONTIER_SAMPLE}",
    )
    return [
        row["url"]
        for row in silent
        if explained_by(command("explain", row["url"], may_be=(0, 1))) is None
    ]


def compare(command: Command, origin: str, paths: Sequence[str], compared: Compared) -> None:
    """Read the fetched bytes of pages with our parsers and with html5lib."""
    parsers = Parsers(load(overrides={"http.agent.name": "x"}))
    listed = ", ".join("'" + (origin + path).replace("'", "''") + "'" for path in paths)
    for row in command("sql", PAGES.format(listed)):
        content, url = base64.b64decode(row["content_b64"]), row["url"]
        page = Page(url, content, url, row["content_type"], None)
        ours = parsers.parse(page)
        title, links = read(content, url, None)
        found = {urldefrag(link.url).url for link in ours.outlinks}
        found = {link for link in found if link.startswith(("http://", "https://"))}
        same_title = title == ours.title == row["title"]
        compared.pages += 1
        compared.titles += same_title
        compared.links += found == links
        compared.both += same_title and found == links
        if not same_title:
            compared.different.append(f"{url}: title {row['title']!r:.80}, not {title!r:.80}")
        if found != links:
            more, less = sorted(found - links)[:3], sorted(links - found)[:3]
            compared.different.append(f"{url}: links more {more}, less {less}")


def report(compared: Compared) -> Iterator[str]:
    """How many sampled pages are read alike."""
    yield f"html5lib: {compared.pages:,} sampled pages are read"
    parts = f"titles {compared.titles:,}, links {compared.links:,}"
    yield f"  alike         {compared.both:6,}  ({parts})"
    yield from (f"  {line}" for line in compared.different[:SHOWN])


def main() -> int:
    """Print an account for each package and the comparison; 0 when all is well."""
    parser = argparse.ArgumentParser(description="Crawl Debian's documentation.")
    parser.add_argument("--package", action="append", choices=SITES)
    parser.add_argument("--pages", type=int, default=500, help="pages sampled over all packages")
    parser.add_argument("--work", type=Path, default=HERE / "build" / "real_sites")
    given = parser.parse_args()
    packages = given.package or list(SITES)
    compared, failed = Compared(), False
    for number, package in enumerate(packages):
        address = f"127.0.0.{31 + number}"
        pages = given.pages // len(packages)
        try:
            account = crawl(package, SITES[package], given.work, address, compared, pages)
        except (PackageError, CommandError) as error:
            print(f"{package}: {error}", file=sys.stderr)
            failed = True
            continue
        print("\n".join(account.lines()), flush=True)
        failed |= bool(account.unexplained)
    print("\n".join(report(compared)))
    return int(failed or compared.both < AGREE_LEAST * compared.pages or not compared.pages)


if __name__ == "__main__":
    sys.exit(main())
