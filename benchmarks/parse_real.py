"""Parsing real pages: CPU seconds and peak memory, beside a bare lxml.html.fromstring of the bytes.

    python benchmarks/parse_real.py [--package sqlite3-doc]... [--folder DIR]... [--hosts DIR]...
        [--pages 2000] [--rounds 3] [--parser-bound 2.2] [--job-bound 3] [--ms-bound 1.2]

Pages are sampled from Debian's documentation packages (fetched, not installed) and from folders of
HTML files. The floor and our parser read them in turn in one process, the best round counts. The
job reads them from a segment and writes text, metadata and links, with its worker processes; what
the same command takes for one page is told apart. Each bound is told as met or missed; exit code 1
if one is missed.
"""

import argparse
import json
import random
import sys
import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import lxml.html

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.bounds import Bound, exit_code
from benchmarks.doc_packages import fetch_package
from benchmarks.made_crawl import run
from benchmarks.real_sites import fresh_folder
from crawl_ops.config.load import load
from crawl_ops.parse.page import Page
from crawl_ops.parse.parsers import Parsers
from crawl_ops.storage.crawl_dir import CrawlDir
from crawl_ops.storage.schema import table_of
from crawl_ops.urls.identity import UrlIdentifier

HERE = Path(__file__).resolve().parents[1]
PACKAGES = (
    "apache2-doc",
    "debian-handbook",
    "libboost1.74-doc",
    "postgresql-doc-15",
    "sqlite3-doc",
)
NOW = datetime(2026, 3, 1, tzinfo=UTC)
SMALLEST, LARGEST = 512, 1 << 20
FILE_PAGES = 4_000  # of one content file, some 64 MB as fetch leaves them
SEED = 7


class RealPage(NamedTuple):
    """A page and the URL it is given."""

    url: str
    content: bytes


def pages_of(root: Path, host: str | None, most: int) -> list[RealPage]:
    """HTML files below a folder: at most so many, always the same ones.

    Without a host, the folders right below are the hosts.
    """
    start = f"http://{host}/" if host else "http://"
    found = sorted(
        file
        for file in root.rglob("*.html")
        if not file.is_symlink() and file.is_file() and SMALLEST <= file.stat().st_size <= LARGEST
    )
    chosen = random.Random(SEED).sample(found, min(most, len(found)))
    return [RealPage(f"{start}{f.relative_to(root)}", f.read_bytes()) for f in chosen]


def measured(pages: Sequence[RealPage], rounds: int) -> tuple[float, float]:
    """CPU seconds of the bare parser and of ours: the best of the rounds, in turn."""
    parse = Parsers(load(overrides={"http.agent.name": "x"})).parse
    given = [Page(url, content, url, "text/html", None) for url, content in pages]
    floors, ours = [], []
    for _ in range(rounds):
        started = time.process_time()
        for page in given:
            lxml.html.fromstring(page.content)
        between = time.process_time()
        for page in given:
            parse(page)
        floors.append(between - started)
        ours.append(time.process_time() - between)
    return min(floors), min(ours)


def made_segment(crawl: CrawlDir, pages: Sequence[RealPage], name: str) -> str:
    """A segment that has fetched the pages."""
    segment, identifier = crawl.new_segment(name), UrlIdentifier(crawl.seed)
    segment.publish({"lists": [{"list": 0}]})
    for start in range(0, len(pages), FILE_PAGES):
        rows = [
            {
                "url": page.url,
                "content": page.content,
                **identifier.identify(page.url)._asdict(),
                "attempt": "a",
                "base_url": page.url,
                "fetch_time": NOW,
                "http_status": 200,
                "content_type": "text/html",
                "headers": '[["Content-Type", "text/html"]]',
                "score": 1.0,
                "depth": 1,
            }
            for page in pages[start : start + FILE_PAGES]
        ]
        stem = f"a.{start // FILE_PAGES:04}"
        segment.write_tables("content", 0, stem, [table_of("content", rows)])
    segment.finish("fetch", 0, {"counts": {}})
    return name


def job(folder: Path, name: str, pages: Sequence[RealPage]) -> tuple[float, int]:
    """CPU seconds of `crawl-ops parse` on a segment of the pages, and the bytes it writes."""
    crawl = CrawlDir.open(folder)
    segment = crawl.segment(made_segment(crawl, pages, name))
    command = [sys.executable, "-m", "crawl_ops", "--dir", str(folder), "--json"]
    options = ["-D", "http.agent.name=x", "-D", "db.max.outlinks.per.page=-1"]
    cpu, output = run(f"parse, {len(pages):,} pages", [*command, *options, "parse", name])
    counts = json.loads(output.splitlines()[-1])["counts"]
    print(f"  {counts}")
    parts = ("parse_data", "parse_text", "crawl_parse", "rejected")
    files = [file for part in parts for file in segment.part_files(part)]
    return cpu, sum((crawl.root / file.path).stat().st_size for file in files)


def compare(pages: Sequence[RealPage], options: argparse.Namespace) -> Iterator[Bound]:
    """Measure and print; yields figures with their bounds."""
    size = sum(len(page.content) for page in pages)
    each = 1000 / len(pages)  # seconds of all: milliseconds of one
    print(f"{len(pages):,} pages, {size:,} bytes, {size // len(pages):,} a page")
    floor, parser = measured(pages, options.rounds)
    print(f"bare lxml.html.fromstring  {floor * each:7.3f} ms a page (the floor)")
    ratio = parser / floor
    print(f"parser                     {parser * each:7.3f} ms a page, {ratio:.2f} x the floor")
    yield Bound("parser by the floor", ratio, options.parser_bound)
    folder = fresh_folder(options.work / "parse_real")
    (folder / "crawl.json").write_text(json.dumps({"format": 1, "seed": SEED}))
    start, _ = job(folder, "20260301000000", pages[:1])
    whole, written = job(folder, "20260301000001", pages)
    spent = (whole - start) * each
    print(f"job                        {spent:7.3f} ms a page, {spent / floor / each:.2f} x")
    print(f"  its start {start:.2f} CPU-s, not counted; {written:,} bytes written")
    yield Bound("job by the floor", spent / floor / each, options.job_bound)
    yield Bound("job, CPU ms a page", spent, options.ms_bound)


def main() -> int:
    """Print figures; 0 when all bounds are met."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--package", action="append", help="a Debian -doc package")
    parser.add_argument("--folder", action="append", type=Path, help="a folder of HTML files")
    parser.add_argument("--hosts", action="append", type=Path, help="a folder of folders by host")
    parser.add_argument("--pages", type=int, default=2_000, help="pages sampled over all")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--parser-bound", type=float, default=2.2, help="times the floor")
    parser.add_argument("--job-bound", type=float, default=3.0, help="times the floor")
    parser.add_argument("--ms-bound", type=float, default=1.2, help="of the job, a page")
    parser.add_argument("--work", type=Path, default=HERE / "build" / "real_sites")
    options = parser.parse_args()
    folders, hosts = options.folder or [], options.hosts or []
    packages = options.package or ([] if folders or hosts else PACKAGES)
    roots: list[tuple[Path, str | None]] = [(hosts_of, None) for hosts_of in hosts]
    roots += [(folder, f"{folder.resolve().name.lower()}.example") for folder in folders]
    roots += [(fetch_package(name, options.work), f"{name}.example") for name in packages]
    pages = [
        page for root, host in roots for page in pages_of(root, host, options.pages // len(roots))
    ]
    if not pages:
        parser.error("no HTML files there")
    return exit_code(list(compare(pages, options)))


if __name__ == "__main__":
    sys.exit(main())
