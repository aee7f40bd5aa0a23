"""A crawl of real manuals through the real jobs: memory over time, CPU seconds, bytes.

    python benchmarks/manuals.py [--pages 30000] [--sites PACKAGE[:FOLDER] ...]

Debian's -doc packages (doc_packages.py) are served from loopback, each from an address of its own;
generate, fetch, parse and updatedb run as commands until so many pages are fetched. Each bound is
told as met or missed, exit code 1 if one is missed: --pages, --fetch-mb for the peak of fetch,
--parse-mb for that of every process of parse.
"""

import argparse
import contextlib
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from bounds import Bound, exit_code
from doc_packages import fetch_package, site_of

HERE = Path(__file__).parent
SITES = (
    "openjdk-17-doc:usr/share/doc/openjdk-17-jre-headless/api",
    "fp-docs-3.2.2:usr/share/doc/fp-docs/3.2.2/rtl",
    "fp-docs-3.2.2:usr/share/doc/fp-docs/3.2.2/fcl",
    "libboost1.74-doc",
    "cppreference-doc-en-html",
    "linux-doc-6.1",
    "postgresql-doc-15",
)
SAMPLE_S = 0.5
SHOWN = 12
CONF = (
    "http.agent.name=benchbot",
    "http.filter.ipaddress.exclude=",
    "fetcher.server.delay=0",
    "fetcher.server.min.delay=0",
    "fetcher.threads.per.queue=4",
    "fetcher.threads.fetch=16",
    "db.max.outlinks.per.page=-1",
    "db.ignore.external.links=true",
)
PAGE = os.sysconf("SC_PAGE_SIZE")


class Process(NamedTuple):
    """What /proc says of a process: its parent and its resident bytes."""

    parent: int
    rss: int


class Memory:
    """Resident megabytes of a command's processes over time."""

    def __init__(self) -> None:
        self.samples: list[tuple[float, float, float]] = []  # seconds, first process, largest child
        self.cpu_s = self.seconds = 0.0

    def take(self, root: int, seconds: float) -> None:
        found = processes()
        if root not in found:
            return
        children = [found[pid].rss for pid in below(root, found)]
        largest = max(children, default=0) / 1e6
        self.samples.append((seconds, found[root].rss / 1e6, largest))

    def peak(self) -> tuple[float, float]:
        """Of the first process, and of the largest below it."""
        return max(s[1] for s in self.samples), max(s[2] for s in self.samples)

    def curve(self) -> str:
        """Some of the samples, as seconds:MB (and +MB of the largest process below)."""
        step = max(1, len(self.samples) // SHOWN)
        return "  ".join(
            f"{t:.0f}s:{own:.0f}" + (f"+{child:.0f}" if child else "")
            for t, own, child in self.samples[::step]
        )


def processes() -> dict[int, Process]:
    """All processes by id."""
    found = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            with contextlib.suppress(OSError, ValueError):
                fields = (folder / "stat").read_text().rpartition(")")[2].split()
                found[int(folder.name)] = Process(int(fields[1]), int(fields[21]) * PAGE)
    return found


def below(root: int, found: dict[int, Process]) -> list[int]:
    """The processes that a process has started, and those that these have."""
    mine = {root}
    while more := {pid for pid, p in found.items() if p.parent in mine} - mine:
        mine |= more
    return sorted(mine - {root})


@contextlib.contextmanager
def served(sites: list[str], work: Path) -> Iterator[list[str]]:
    """The start pages of packages (or of folders in them), each on an address of its own."""
    servers, starts = [], []
    try:
        for number, given in enumerate(sites, 11):
            name, _, folder = given.partition(":")
            unpacked = fetch_package(name, work / "packages")
            site = site_of("", unpacked / folder) if folder else site_of(name, unpacked)
            command = [sys.executable, str(HERE / "serve_folder.py"), str(site.root),
                       "--address", f"127.0.0.{number}"]  # fmt: skip
            server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
            servers.append(server)
            assert server.stdout is not None
            starts.append(server.stdout.readline().strip().rstrip("/") + site.start)
        yield starts
    finally:
        for server in servers:
            server.terminate()
            server.wait()


def verb(crawl: Path, *words: str) -> tuple[dict, Memory]:
    """Run a command of crawl-ops on the crawl; its report and its memory."""
    conf = [word for pair in CONF for word in ("-D", pair)]
    command = [sys.executable, "-m", "crawl_ops", "--dir", str(crawl), "--json", *conf, *words]
    memory, started = Memory(), time.monotonic()
    with (crawl.parent / f"{words[0]}.err").open("ab") as errors:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors)
        while not (ended := os.wait4(process.pid, os.WNOHANG))[0]:
            memory.take(process.pid, time.monotonic() - started)
            time.sleep(SAMPLE_S)
    process.returncode = os.waitstatus_to_exitcode(ended[1])
    memory.cpu_s = ended[2].ru_utime + ended[2].ru_stime
    memory.seconds = time.monotonic() - started
    assert process.stdout is not None
    with process.stdout as output:
        said = output.read()
    if process.returncode:
        raise SystemExit(f"{words[0]} ended with {process.returncode}: see {errors.name}")
    return json.loads(said), memory


def told(name: str, pages: int, memory: Memory) -> None:
    """One command: its figures, and its memory over time."""
    own, child = memory.peak()
    each = f", {1000 * memory.cpu_s / pages:.2f} a 1,000 pages" if pages else ""
    print(f"  {name:9} {memory.seconds:6.1f} s, CPU {memory.cpu_s:6.1f} s{each}")
    print(f"            peak {own:.0f} MB" + (f", a process of it {child:.0f} MB" if child else ""))
    print(f"            {memory.curve()}", flush=True)


def size_of(folder: Path) -> int:
    """Bytes of all files of a folder."""
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def crawled(crawl: Path, starts: list[str], wanted: int, rounds: int) -> dict[str, float]:
    """Rounds until so many pages are fetched; the peak memory of each verb's processes."""
    seeds = crawl.parent / "seeds.txt"
    seeds.write_text("\n".join(starts) + "\n")
    verb(crawl, "inject", str(seeds))
    fetched, peaks, cpu = 0, {"fetch": 0.0, "parse": 0.0, "updatedb": 0.0, "generate": 0.0}, 0.0
    for number in range(1, rounds + 1):
        report, memory = verb(crawl, "generate", "--topn", str(wanted - fetched))
        segment = report["segment"]
        if segment is None:
            break
        print(f"round {number}: {report['counts']['selected']:,} urls", flush=True)
        for name in ("generate", "fetch", "parse", "updatedb"):
            if name != "generate":
                report, memory = verb(crawl, name, segment)
            if name == "fetch":
                pages = report["counts"].get("fetch_success", 0)
                fetched += pages
            told(name, pages if name in ("fetch", "parse") else 0, memory)
            peaks[name] = max(peaks[name], *memory.peak())
            cpu += memory.cpu_s
        if fetched >= wanted:
            break
    print(f"{fetched:,} pages, {cpu:.1f} CPU s, {size_of(crawl):,} bytes stored")
    return {**peaks, "pages": fetched}


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--pages", type=int, default=30_000)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--sites", nargs="+", default=list(SITES))
    parser.add_argument("--work", type=Path, default=Path("build/manuals"))
    parser.add_argument("--fetch-mb", type=float, default=300)
    parser.add_argument("--parse-mb", type=float, default=400)
    options = parser.parse_args()
    work = options.work.resolve()
    crawl = work / "crawl"
    if crawl.exists():
        shutil.rmtree(crawl)
    crawl.mkdir(parents=True)
    with served(options.sites, work) as starts:
        found = crawled(crawl, starts, options.pages, options.rounds)
    if found["pages"] < options.pages:
        print(f"only {found['pages']:,} of {options.pages:,} pages: name more sites")
    return exit_code([
        Bound("peak of fetch, MB", found["fetch"], options.fetch_mb),
        Bound("peak of a process of parse, MB", found["parse"], options.parse_mb),
        Bound("pages", found["pages"], least=options.pages),
    ])  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
