"""Crawls real documentation sites page by page and accounts for every page of them.

python benchmarks/real_sites.py [--package sqlite3-doc --package postgresql-doc-15] [--work DIR]

Debian's -doc packages are fetched with apt-get, unpacked without being installed, served each on
a loopback address of its own, and crawled through the command line. A reference walk that knows
nothing of crawl_ops says which URLs are within so many links of the start page; each of them must
be fetched, or explained. Exit 1 when one is not.
"""

import argparse
import json
import random
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.doc_packages import PackageError, fetch_package, site_of
from benchmarks.reference_walk import reachable, title_of
from benchmarks.serve_folder import FolderServer

HERE = Path(__file__).resolve().parents[1]
DEFAULT_PACKAGES = ("sqlite3-doc", "postgresql-doc-15")
FETCHED = ("db_fetched", "db_notmodified", "db_duplicate")
SAMPLE = 50
HITS = 5
EXPLAIN_MAX = 100
REFUSALS = ("rejected", "disallowed", "left_out", "not_fetched", "not_selected")
CONFIG = """\
"http.agent.name" = "crawl-ops-real-sites"
"http.filter.ipaddress.exclude" = []
"http.content.limit" = -1
"db.ignore.external.links" = true
"db.max.outlinks.per.page" = -1
"fetcher.server.delay" = 0.0
"fetcher.threads.per.queue" = 4
"generate.topN" = -1
"""


class CommandError(Exception):
    """A crawl-ops command that did not exit with 0."""


class Command:
    """crawl-ops with one crawl folder and configuration."""

    def __init__(self, folder: Path) -> None:
        config = folder / "crawl.toml"
        config.write_text(CONFIG, encoding="utf-8")
        self._start = [sys.executable, "-m", "crawl_ops", "--dir", str(folder / "crawl")]
        self._start += ["--config", str(config), "--json"]

    def __call__(self, *arguments: str, may_be: Sequence[int] = (0,)) -> list[Any]:
        """The JSON lines that a command prints. Raises CommandError with its last words."""
        done = subprocess.run(
            [*self._start, *arguments], cwd=HERE, capture_output=True, text=True, check=False
        )
        if done.returncode not in may_be:
            last = (done.stderr.strip() or "nothing on stderr").splitlines()[-1]
            raise CommandError(f"crawl-ops {arguments[0]}: exit {done.returncode}: {last}")
        return [json.loads(line) for line in done.stdout.splitlines() if line.strip()]


class Explained(NamedTuple):
    """One URL that was not fetched, and why."""

    url: str
    reason: str


@dataclass(slots=True)
class Account:
    """What became of the URLs that the reference walk reached."""

    package: str
    links: int
    reached: int = 0
    pages: int = 0  # of them, those the server has
    served: int = 0  # URLs that the server answered with 200
    fetched: int = 0
    explained: list[Explained] = field(default_factory=list)
    unexplained: list[str] = field(default_factory=list)
    indexed: int = 0
    searched: int = 0
    found: int = 0
    repeated: int = 0  # pages that the server was asked for more than once
    seconds: float = 0.0

    def lines(self) -> Iterator[str]:
        reached = f"{self.reached:,} URLs within {self.links} links"
        yield f"{self.package}: {reached}, {self.pages:,} of them pages"
        yield f"  served        {self.served:6,}"
        yield f"  fetched       {self.fetched:6,}"
        yield f"  explained     {len(self.explained):6,}  {_reasons(self.explained)}"
        yield f"  unexplained   {len(self.unexplained):6,}  {' '.join(self.unexplained[:5])}"
        yield f"  indexed       {self.indexed:6,}"
        yield f"  searches      {self.found:6,} of {self.searched} titles in the first {HITS} hits"
        yield f"  asked twice   {self.repeated:6,}"
        per_second = self.fetched / self.seconds if self.seconds else 0.0
        yield f"  seconds       {self.seconds:6.1f}  ({per_second:.0f} pages/s, whole cycle)"


def _reasons(explained: Sequence[Explained]) -> str:
    counts: dict[str, int] = {}
    for _, reason in explained:
        counts[reason] = counts.get(reason, 0) + 1
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(f"{reason} {count}" for reason, count in ordered[:6])


def account_for(command: Command, origin: str, paths: Sequence[str], account: Account) -> None:
    """Sort the URLs of the reference walk into fetched, explained and unexplained."""
    known = {row["url"]: row for row in command("sql", "SELECT url, status, reason FROM crawldb")}
    missing = []
    for row in _normalized(command, [origin + path for path in paths]):
        url = row["normalized"]
        if url is None:
            account.explained.append(Explained(row["url"], f"refused by {row['rejected_by']}"))
        elif url not in known:
            missing.append(url)
        elif known[url]["status"] in FETCHED:
            account.fetched += 1
        elif known[url]["reason"]:
            said = f"{known[url]['status']}: {known[url]['reason']}"
            account.explained.append(Explained(url, re.sub(r"http\S+", "URL", said)))
        else:
            account.unexplained.append(url)
    for url in missing[:EXPLAIN_MAX]:
        reason = explained_by(command("explain", url, may_be=(0, 1)))
        if reason is None:
            account.unexplained.append(url)
        else:
            account.explained.append(Explained(url, reason))
    account.unexplained += missing[EXPLAIN_MAX:]


def _normalized(command: Command, urls: Sequence[str]) -> Iterator[dict[str, Any]]:
    for start in range(0, len(urls), 500):
        yield from command("normalize", *urls[start : start + 500])


def explained_by(answers: Sequence[Any]) -> str | None:
    """The step of explain's answer that kept a URL out, and its reason; None where none did."""
    # That it is not known is no reason; which rule or limit kept it out is.
    steps = answers[0]["steps"] if answers else []
    for step in steps:
        if step["outcome"] in REFUSALS and step["reason"]:
            return f"{step['step']}: {step['reason']}"
    return None


def search_titles(command: Command, root: Path, origin: str, paths: Sequence[str]) -> int:
    """How many of the pages are among the first hits for the words of their titles."""
    found = 0
    for path in paths:
        words = " ".join(re.findall(r"\w+", (title_of(root, path) or "").lower()))
        answers = command("search", words, "--limit", str(HITS), may_be=(0, 1))
        hits = [hit["url"] for hit in answers[-1]["hits"]] if answers else []
        found += origin + path in hits
    return found


def crawl_site(
    package: str, root: Path, start: str, links: int, work: Path, address: str
) -> Account:
    """Serve, crawl and account for one unpacked package."""
    account = Account(package, links)
    paths = reachable(root, start, links)
    account.reached = len(paths)
    pages = [path for path in sorted(paths) if title_of(root, path) is not None]
    account.pages = len(pages)
    with ExitStack() as stack:
        server = stack.enter_context(FolderServer(root, address))
        folder = fresh_folder(work / f"{package}.crawl")
        seeds = folder / "seeds.txt"
        seeds.write_text(f"{server.origin}{start}\n", encoding="utf-8")
        command = Command(folder)
        began = time.monotonic()
        # A page that is n links away is fetched in round n + 1.
        last = command("crawl", "--seeds", str(seeds), "--depth", str(links + 1))[-1]
        account.seconds = time.monotonic() - began
        account.indexed = last["indexed"]
        good = {path for status, path in server.requests if status == 200}
        account.served = len(good - {"/robots.txt"})
        account.repeated = sum(n > 1 for (_, path), n in server.requests.items() if path in paths)
        account_for(command, server.origin, sorted(paths), account)
        sample = random.Random(package).sample(pages, min(SAMPLE, len(pages)))
        account.searched = len(sample)
        account.found = search_titles(command, root, server.origin, sample)
    return account


def fresh_folder(folder: Path) -> Path:
    """A new folder of that name, with a number where it exists: nothing is ever deleted."""
    for number in range(1, 10_000):
        made = folder if number == 1 else folder.with_name(f"{folder.name}-{number}")
        try:
            made.mkdir(parents=True)
        except FileExistsError:
            continue
        return made
    raise FileExistsError(str(folder))


def main() -> int:
    """Print an account for each package; 0 when everything is explained."""
    parser = argparse.ArgumentParser(description="Crawl real documentation sites.")
    parser.add_argument("--package", action="append", help="a Debian -doc package")
    parser.add_argument("--work", type=Path, default=HERE / "build" / "real_sites")
    given = parser.parse_args()
    failed = False
    for number, package in enumerate(given.package or DEFAULT_PACKAGES):
        try:
            unpacked = fetch_package(package, given.work)
            site = site_of(package, unpacked)
            address = f"127.0.0.{11 + number}"
            account = crawl_site(package, site.root, site.start, site.links, given.work, address)
        except (PackageError, CommandError) as error:
            print(f"{package}: {error}", file=sys.stderr)
            failed = True
            continue
        print("\n".join(account.lines()), flush=True)
        failed = failed or bool(account.unexplained)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
