"""invertlinks of segments of any size: CPU seconds, peak memory, bytes, beside a copy of the links.

    python benchmarks/invertlinks.py [--urls 1000000] [--pages 50000] [--links 1500000] [--rounds 2]

Each round inverts a segment of its own; the second finds the links of the first in the linkdb.
Leaves with 1 when a bound is missed, in any round: --ratio to the copy, --peak MB.
"""

import argparse
import shutil
import sys
from pathlib import Path

from bounds import Bound, exit_code
from made_crawl import PEAKS, MadeCrawl, run

COPY = (
    "import duckdb, sys\n"
    "con = duckdb.connect(config={'threads': 2, 'memory_limit': '1GB'})\n"
    'con.execute(f"COPY (SELECT k, slot, to_url, from_k, from_url, from_host, anchor FROM "\n'
    "    f\"read_parquet({sys.argv[2:]})) TO '{sys.argv[1]}' \"\n"
    '    "(FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1)")\n'
)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--urls", type=int, default=1_000_000)
    parser.add_argument("--pages", type=int, default=50_000)
    parser.add_argument("--links", type=int, default=1_500_000)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--work", type=Path, default=Path("build/benchmark"))
    parser.add_argument("--keep", action="store_true", help="leave the crawl for the next run")
    parser.add_argument("-D", dest="conf", action="append", default=[])
    parser.add_argument("--ratio", type=float, default=5, help="to the copy, at most")
    parser.add_argument("--peak", type=float, default=1000, help="MB that invertlinks may take")
    options = parser.parse_args()
    bounds = []
    made = MadeCrawl.apart(options.work, options.urls)
    for number in range(options.rounds):
        links = options.links + number  # a name of its own
        name = made.segment_apart(options.pages, links)
        files = made.crawl.segment(name).part_files("crawl_parse")
        paths = [made.crawl.files.location(file.path) for file in files]
        target = made.crawl.root / "scratch" / "copy.parquet"
        target.parent.mkdir(exist_ok=True)
        command = [sys.executable, "-c", COPY, str(target), *paths]
        floor, _ = run("floor: copy the links", command)
        target.unlink()
        cpu, report = made.verb("invertlinks", name, conf=options.conf)
        size = sum(entry.bytes for entry in made.crawl.table("linkdb").current().files)
        print(f"counts {report['counts']}, {size:,} bytes, ratio to the copy: {cpu / floor:.2f}")
        bounds += [
            Bound(f"round {number + 1}, ratio to the copy", cpu / floor, options.ratio),
            Bound(f"round {number + 1}, peak, MB", PEAKS["invertlinks"], options.peak),
        ]
    shutil.rmtree(made.crawl.root / "linkdb")
    if not options.keep:
        shutil.rmtree(made.crawl.root)
    sys.exit(exit_code(bounds))


if __name__ == "__main__":
    main()
