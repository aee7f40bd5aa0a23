"""updatedb on a crawldb of any size: CPU seconds, peak memory, bytes, beside a copy of the Parquet.

    python benchmarks/updatedb.py [--urls 1000000] [--pages 50000] [--links 1500000] [-D name=value]

The crawldb and the segment are made by SQL (made_crawl.py) and used again if they are there.
"""

import argparse
import shutil
from pathlib import Path

from made_crawl import MadeCrawl


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--urls", type=int, default=1_000_000)
    parser.add_argument("--pages", type=int, default=50_000)
    parser.add_argument("--links", type=int, default=1_500_000)
    parser.add_argument("--work", type=Path, default=Path("build/benchmark"))
    parser.add_argument("--keep", action="store_true", help="leave the crawl for the next run")
    parser.add_argument("--no-floor", action="store_true")
    parser.add_argument("-D", dest="conf", action="append", default=[])
    options = parser.parse_args()
    print(f"{options.urls:,} urls, {options.pages:,} pages, {options.links:,} links")
    made = MadeCrawl.apart(options.work, options.urls)
    name = made.segment_apart(options.pages, options.links)
    before = made.bytes
    floor = 0.0 if options.no_floor else made.floor()
    cpu, report = made.verb("updatedb", name, conf=options.conf)
    print(f"counts {report['counts']}")
    print(f"{before:,} bytes before, {made.bytes:,} after: {made.bytes / report['urls']:.1f} a URL")
    if floor:
        print(f"ratio to the copy: {cpu / floor:.2f}")
    forget(made)
    if not options.keep:
        shutil.rmtree(made.crawl.root)


def forget(made: MadeCrawl) -> None:
    """Take the update back, so that the next run finds what this one found."""
    for table in ("crawldb", "hostdb"):
        first = {entry.path for entry in made.crawl.table(table).version(1).files}
        for number in made.crawl.table(table).versions()[1:]:
            made.crawl.files.remove(f"{table}/manifests/{number:08}.json")
        for kind in ("base", "new", "changed", "moved"):
            for path in list(made.crawl.files.walk(f"{table}/{kind}")):
                if path not in first:
                    made.crawl.files.remove(path)


if __name__ == "__main__":
    main()
