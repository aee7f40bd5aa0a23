"""dedup on a crawldb of any size: CPU seconds, peak memory, bytes, beside a copy of the Parquet.

    python benchmarks/dedup.py [--urls 1000000] [-D name=value]

A quarter of the URLs have a signature, and some of these share one. What is marked is written:
the floor is reading and writing the same Parquet once. Leaves with 1 when a bound is missed:
--ratio to the floor, --peak MB.
"""

import argparse
import shutil
import sys
from pathlib import Path

from bounds import Bound, exit_code
from made_crawl import PEAKS, MadeCrawl
from updatedb import forget


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--urls", type=int, default=1_000_000)
    parser.add_argument("--work", type=Path, default=Path("build/benchmark"))
    parser.add_argument("--keep", action="store_true", help="leave the crawl for the next run")
    parser.add_argument("-D", dest="conf", action="append", default=[])
    parser.add_argument("--ratio", type=float, default=5, help="to the floor, at most")
    parser.add_argument("--peak", type=float, default=1000, help="MB that dedup may take")
    options = parser.parse_args()
    print(f"{options.urls:,} urls")
    made = MadeCrawl.apart(options.work, options.urls)
    floor = made.floor()
    cpu, report = made.verb("dedup", conf=["indexer.delete=false", *options.conf])
    print(f"counts {report['counts']}, {made.bytes:,} bytes, ratio to the copy: {cpu / floor:.2f}")
    forget(made)
    if not options.keep:
        shutil.rmtree(made.crawl.root)
    bounds = [
        Bound("ratio to the copy", cpu / floor, options.ratio),
        Bound("peak, MB", PEAKS["dedup"], options.peak),
    ]
    sys.exit(exit_code(bounds))


if __name__ == "__main__":
    main()
