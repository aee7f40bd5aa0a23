"""inject, generate and updatedb on a crawldb of a million URLs: seconds, CPU, peak memory.

    python benchmarks/million.py [--urls 1000000] [--topn 50000] [--links 1500000] [-D name=value]

Every job runs in a process of its own, by the command line. The segment that updatedb folds is
made here: all pages of the fetch list fetched, 30 links a page, some two thirds of them to URLs
that are known. As a floor, the crawldb is read and written once by DuckDB alone. Leaves with 1 when
a bound is missed: --cpu microseconds a seed, --peak MB of inject, --other-peak MB of other jobs.
"""

import argparse
import json
import multiprocessing
import os
import random
import resource
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

import duckdb
from bounds import Bound, exit_code

from crawl_ops.storage.crawl_dir import CrawlDir
from crawl_ops.storage.rows import RowBatches
from crawl_ops.storage.schema import schemas
from crawl_ops.urls.identity import UrlIdentifier

SPENT: dict[str, tuple[float, float]] = {}  # CPU seconds and MB of each job
COMMAND = [sys.executable, "-m", "crawl_ops"]
WORDS = [
    f"{a}{b}"
    for a in ["ba", "de", "fi", "go", "lu", "mi", "no", "pe", "ra", "su"]
    for b in ["k", "l", "m", "n", "r", "s", "t", "v", "x", "z"]
]


def url_of(number: int, hosts: int) -> str:
    """A URL of some 70 characters; host r has a share of about 1 / r."""
    host = int(hosts ** random.Random(number).random()) - 1
    words = "-".join(WORDS[(number * 31 + n * 17) % 100] for n in range(6))
    return f"http://www.host{host}.example{host % 977}.com/{words}/{number}.html"


def seeds(path: Path, urls: int, hosts: int) -> None:
    with path.open("w") as file:
        for number in range(urls):
            file.write(f"{url_of(number, hosts)}\tnutch.score={(number % 1000) / 1000}\n")


def measured(name: str, arguments: list[str]) -> dict:
    """Run a command; print what it took; return its JSON report."""
    started = time.monotonic()
    process = subprocess.Popen([*COMMAND, *arguments], stdout=subprocess.PIPE)
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.monotonic() - started
    cpu = usage.ru_utime + usage.ru_stime
    line(name, seconds, cpu, usage.ru_maxrss / 1024)
    SPENT[name] = (cpu, usage.ru_maxrss * 1024 / 1e6)
    if status:
        sys.exit(f"{name} failed with status {status}")
    return json.loads(output.splitlines()[-1])


def line(name: str, seconds: float, cpu: float, peak_mib: float) -> None:
    print(f"{name:<28}{seconds:>9.2f} s{cpu:>9.2f} CPU-s{peak_mib:>9.0f} MiB", flush=True)


def fake_fetch(crawl: CrawlDir, name: str, urls: int, links: int, hosts: int) -> None:
    """Write what fetch and parse would have left of a segment."""
    segment = crawl.segment(name)
    identifier = UrlIdentifier(crawl.seed)
    now = datetime.now(UTC).replace(microsecond=0)
    for number in segment.lists():
        for file in segment.part_files("crawl_generate", [number]):
            rows = segment.read_part(file, "crawl_generate").to_pylist()
            per_page = max(1, links // sum(entry["urls"] for entry in segment.info()["lists"]))
            parts = {
                part: RowBatches(part) for part in ("crawl_fetch", "parse_data", "crawl_parse")
            }
            for start in range(0, len(rows), 2000):
                for row in rows[start : start + 2000]:
                    page(parts, row, identifier, now, per_page, urls, hosts)
                for batch in parts.values():
                    batch.flush()
            for part, batch in parts.items():
                by = ("slot", "k") if part == "crawl_parse" else ()
                stem = "made.0000p" if part == "crawl_parse" else "made.0000"
                segment.write_table(part, number, stem, batch.table(by=by))
        segment.finish("fetch", number, {"counts": {}})
        segment.finish("parse", number, {"counts": {}})


def page(parts, row, identifier, now, links, urls, hosts) -> None:
    chance = random.Random(row["k"])
    signature = row["k"].to_bytes(8, "big") * 2
    common = {name: row[name] for name in ("k", "slot", "url", "host", "domain", "list")}
    parts["crawl_fetch"].rows.append(
        {
            **{name: row[name] for name in schemas()["crawl_fetch"].names if name in row},
            "attempt": "made",
            "fetch_status": "fetch_success",
            "protocol_status": "success",
            "http_status": 200,
            "fetch_time": now,
            "bytes": 20_000,
            "hops": 0,
        }
    )
    parts["parse_data"].rows.append(
        {
            **common,
            "attempt": "made",
            "parse_status": "success",
            "kind": "page",
            "noindex": False,
            "nofollow": False,
            "noarchive": False,
            "outlinks_found": links,
            "outlinks_kept": links,
            "signature": signature,
            "fetch_time": now,
        }
    )
    for position in range(links):
        number = int(urls * 1.5 * chance.random() ** 2)
        to_url = url_of(number, hosts)
        to = identifier.identify(to_url)
        parts["crawl_parse"].rows.append(
            {
                "k": to.k,
                "slot": to.slot,
                "to_url": to_url,
                "to_host": to.host,
                "to_domain": to.domain,
                "from_k": row["k"],
                "from_url": row["url"],
                "from_host": row["host"],
                "attempt": "made",
                "kind": "link",
                "position": position,
                "anchor": "a link",
                "score": row["score"] / links,
            }
        )


def floor(crawl: CrawlDir, target: Path) -> None:
    """Read and write the crawldb's Parquet once, with two threads."""
    files = [crawl.files.location(entry.path) for entry in crawl.table("crawldb").current().files]
    before = resource.getrusage(resource.RUSAGE_SELF)
    started = time.monotonic()
    with duckdb.connect(config={"threads": 2}) as connection:
        for number, file in enumerate(files):
            connection.execute(
                f"COPY (FROM read_parquet('{file}')) TO '{target}.{number}' "
                "(FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1)"
            )
    after = resource.getrusage(resource.RUSAGE_SELF)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    line("floor: copy the crawldb", time.monotonic() - started, cpu, after.ru_maxrss / 1024)


def apart(function, *arguments) -> None:
    """Call it in another process: what this one holds would count as its children's peak."""
    process = multiprocessing.get_context("fork").Process(target=function, args=arguments)
    process.start()
    process.join()
    if process.exitcode:
        sys.exit(f"{function.__name__} failed with status {process.exitcode}")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--urls", type=int, default=1_000_000)
    parser.add_argument("--topn", type=int, default=50_000)
    parser.add_argument("--links", type=int, default=1_500_000)
    parser.add_argument("--work", type=Path, default=Path("build/million"))
    parser.add_argument("-D", dest="conf", action="append", default=[])
    parser.add_argument("--cpu", type=float, default=8, help="microseconds a seed may take")
    parser.add_argument("--peak", type=float, default=400, help="MB that inject may take")
    parser.add_argument("--other-peak", type=float, default=1000, help="MB that others may take")
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    folder = options.work / f"crawl-{datetime.now(UTC):%Y%m%d%H%M%S}"
    seed_file = options.work / f"seeds-{options.urls}.txt"
    hosts = max(10, options.urls // 50)
    if not seed_file.exists():
        seeds(seed_file, options.urls, hosts)
    conf = [part for value in options.conf for part in ("-D", value)]
    common = ["--dir", str(folder), *conf, "--json"]
    print(f"{options.urls:,} urls, topN {options.topn:,}, {options.links:,} links")
    measured("inject", [*common, "inject", str(seed_file)])
    report = measured("generate", [*common, "generate", "--topn", str(options.topn)])
    crawl = CrawlDir.open(folder)
    apart(fake_fetch, crawl, report["segment"], options.urls, options.links, hosts)
    apart(floor, crawl, options.work / "copy.parquet")
    report = measured("updatedb", [*common, "updatedb", report["segment"]])
    print(json.dumps(report)[:400])
    bounds = [Bound("inject, CPU us a seed", SPENT["inject"][0] / options.urls * 1e6, options.cpu)]
    for job, (_, peak) in SPENT.items():
        most = options.peak if job == "inject" else options.other_peak
        bounds.append(Bound(f"{job}, peak, MB", peak, most))
    sys.exit(exit_code(bounds))


if __name__ == "__main__":
    main()
