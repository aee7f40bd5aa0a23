"""dedup on a crawldb of any size: CPU seconds, peak memory, bytes, beside a copy of the Parquet.

    python benchmarks/dedup.py [--urls 1000000] [-D name=value]

A quarter of the URLs have a signature, and some of these share one. What is marked is written:
the floor is reading and writing the same Parquet once.
"""

import argparse
import shutil
from pathlib import Path

from made_crawl import MadeCrawl
from updatedb import forget


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--urls", type=int, default=1_000_000)
    parser.add_argument("--work", type=Path, default=Path("build/benchmark"))
    parser.add_argument("--keep", action="store_true", help="leave the crawl for the next run")
    parser.add_argument("-D", dest="conf", action="append", default=[])
    options = parser.parse_args()
    print(f"{options.urls:,} urls")
    made = MadeCrawl.apart(options.work, options.urls)
    floor = made.floor()
    cpu, report = made.verb("dedup", conf=["indexer.delete=false", *options.conf])
    print(f"counts {report['counts']}, {made.bytes:,} bytes, ratio to the copy: {cpu / floor:.2f}")
    forget(made)
    if not options.keep:
        shutil.rmtree(made.crawl.root)


if __name__ == "__main__":
    main()
