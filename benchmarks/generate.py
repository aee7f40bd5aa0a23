"""generate on a crawldb of any size: CPU seconds and peak memory, beside a scan of its columns.

    python benchmarks/generate.py [--urls 1000000] [--topn 50000] [--max-count 100] [-D name=value]

The floor reads what the selection looks at (status, time, score, host, URL) once. Leaves with 1
when a bound is missed: --cpu seconds (8 for 20 million URLs, 30 for 100 million, else none by
default), --peak MB.
"""

import argparse
import shutil
import sys
from pathlib import Path

from bounds import Bound, exit_code
from made_crawl import PEAKS, MadeCrawl, run

CPU = {20_000_000: 8.0, 100_000_000: 30.0}

SCAN = (
    "import duckdb, sys\n"
    "con = duckdb.connect(config={'threads': 2, 'memory_limit': '1GB'})\n"
    "con.execute('SELECT count(*), sum(score), max(fetch_time) < now(), max(host), max(url),'\n"
    "    ' max(status) FROM read_parquet(?)', [sys.argv[1:]]).fetchall()\n"
)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--urls", type=int, default=1_000_000)
    parser.add_argument("--topn", type=int, default=50_000)
    parser.add_argument("--max-count", type=int, default=100)
    parser.add_argument("--work", type=Path, default=Path("build/benchmark"))
    parser.add_argument("--keep", action="store_true", help="leave the crawl for the next run")
    parser.add_argument("-D", dest="conf", action="append", default=[])
    parser.add_argument("--cpu", type=float, help="seconds that generate may take")
    parser.add_argument("--peak", type=float, default=500, help="MB that it may take")
    options = parser.parse_args()
    print(f"{options.urls:,} urls, topN {options.topn:,}, {options.max_count} a host")
    made = MadeCrawl.apart(options.work, options.urls)
    files = made.crawl.table("crawldb").version(1).files
    paths = [made.crawl.files.location(entry.path) for entry in files]
    floor, _ = run("floor: scan of the columns", [sys.executable, "-c", SCAN, *paths])
    conf = [f"generate.max.count={options.max_count}", *options.conf]
    cpu, report = made.verb("generate", "--topn", str(options.topn), conf=conf)
    print(f"counts {report['counts']}")
    print(f"{made.bytes:,} bytes; ratio to the scan: {cpu / floor:.2f}")
    shutil.rmtree(made.crawl.root / made.crawl.segment(report["segment"]).folder)
    if not options.keep:
        shutil.rmtree(made.crawl.root)
    most = CPU.get(options.urls) if options.cpu is None else options.cpu
    bounds = [Bound("CPU seconds", cpu, most), Bound("peak, MB", PEAKS["generate"], options.peak)]
    sys.exit(exit_code(bounds))


if __name__ == "__main__":
    main()
