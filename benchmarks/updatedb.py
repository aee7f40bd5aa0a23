"""updatedb on a crawldb of any size: CPU seconds, peak memory, bytes, beside a copy of the Parquet.

    python benchmarks/updatedb.py [--urls 1000000] [--pages 50000] [--links 1500000] [-D name=value]
        [--bound-ratio 2.5] [--bound-cpu 5] [--bound-mib 1024]

The crawldb and the segment are made by SQL (made_crawl.py) and used again if they are there.
Leaves with 1 if a bound is missed: the ratio to the copy, CPU seconds, peak memory.
"""

import argparse
import shutil
import sys
from pathlib import Path

from bounds import Bound, exit_code
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
    parser.add_argument("--bound-ratio", type=float)
    parser.add_argument("--bound-cpu", type=float)
    parser.add_argument("--bound-mib", type=float)
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
    print(f"{cpu / options.urls * 1e6:.2f} us a URL of the crawldb")
    figures = [
        ("CPU-s", cpu, options.bound_cpu),
        ("MiB at once", made.peak_mib, options.bound_mib),
    ]
    if floor:
        print(f"{cpu / floor:.2f} times the copy")
        figures.append(("times the copy", cpu / floor, options.bound_ratio))
    found = [Bound(what, figure, most) for what, figure, most in figures if most]
    forget(made)
    if not options.keep:
        shutil.rmtree(made.crawl.root)
    sys.exit(exit_code(found))


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
