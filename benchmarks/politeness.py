"""One fetch of many polite hosts: rate, lateness, memory, and whether a host was asked too early.

    python benchmarks/politeness.py [--hosts 1000] [--delay 1] [--latency 0.1] [--pages 20]

polite_server.py answers after the latency and logs every request; times are its own. A host's
ideal is a page every delay + latency seconds; lateness is what the wait from the end of an answer
to the next request had too much. Each bound is told as met or missed; exit code 1 if one is missed.
"""

import argparse
import json
import resource
import shutil
import subprocess
import sys
import time
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

from bounds import Bound, exit_code
from polite_server import address

HERE = Path(__file__).parent
AS_FETCH = "--fetch"
CLOCKS_S = 0.001  # an answer is written down a little before it is read


def prepared(crawl: Path, port: int, hosts: int, pages: int, threads: int, delay: float) -> Path:
    """A generated segment of `pages` URLs a host; the command line of its fetch as a file."""
    from crawl_ops.config.load import load
    from crawl_ops.jobs.generate import generate
    from crawl_ops.jobs.inject import inject
    from crawl_ops.storage.crawl_dir import CrawlDir

    conf = {
        "http.agent.name": "benchbot",
        "http.filter.ipaddress.exclude": "",
        "fetcher.server.delay": delay,
        "fetcher.threads.fetch": threads,
    }
    now = datetime.now(UTC)
    made = CrawlDir.open(crawl, create=True)
    urls = [f"http://{address(h)}:{port}/{n}" for n in range(pages) for h in range(hosts)]
    inject(made, load(None, conf), urls, now)
    report = generate(made, load(None, conf), now, num_fetchers=1)
    command = crawl / "fetch.json"
    command.write_text(json.dumps({"conf": conf, "segment": report.segment, "crawl": str(crawl)}))
    return command


def fetch(command: Path) -> None:
    """What is measured, in a process of its own: the fetch job and nothing else."""
    from crawl_ops.config.load import load
    from crawl_ops.jobs.fetch import fetch as job
    from crawl_ops.storage.crawl_dir import CrawlDir

    given = json.loads(command.read_text())
    started, start_up = time.monotonic(), time.process_time()
    report = job(
        CrawlDir.open(Path(given["crawl"])),
        load(None, given["conf"]),
        given["segment"],
        lambda: datetime.now(UTC),
    )
    usage = resource.getrusage(resource.RUSAGE_SELF)
    print(json.dumps({
        "counts": report.counts,
        "wall_s": time.monotonic() - started,
        "start_up_s": start_up,
        "cpu_s": usage.ru_utime + usage.ru_stime,
        "peak_mb": kilobytes("VmHWM") / 1024,
        "own_mb": kilobytes("RssAnon") / 1024,
    }))  # fmt: skip


def kilobytes(what: str) -> int:
    """A figure of this process; ru_maxrss would count what its parent had."""
    status = Path("/proc/self/status").read_text()
    return int(status.partition(what + ":")[2].split()[0])


def judged(log: Path, delay: float, latency: float) -> dict[str, Any]:
    """Rate and lateness from the server's log."""
    by_host: dict[int, list[tuple[float, float]]] = {}
    for line in log.read_text().splitlines():
        host, came, sent = line.split()
        by_host.setdefault(int(host), []).append((float(came), float(sent)))
    waits: list[float] = []
    ideal = taken = 0.0
    for asked in by_host.values():
        asked.sort()
        waits += [after[0] - before[1] for before, after in pairwise(asked)]
        ideal += (len(asked) - 1) * (delay + latency)
        taken += asked[-1][0] - asked[0][0]
    late = sorted(wait - delay for wait in waits)
    return {
        "hosts": len(by_host),
        "pages": sum(map(len, by_host.values())),
        "of_ideal": ideal / taken,
        "early": sum(1 for wait in waits if wait < delay - CLOCKS_S),
        "least_wait_s": min(waits),
        "late_p50_s": late[len(late) // 2],
        "late_p99_s": late[int(len(late) * 0.99)],
        "late_most_s": late[-1],
    }


def run(options: argparse.Namespace) -> int:
    """Serve, fetch, judge."""
    work = options.work.resolve()
    if work.exists():
        shutil.rmtree(work)
    work.mkdir(parents=True)
    log = work / "asked.log"
    server = subprocess.Popen(
        [sys.executable, str(HERE / "polite_server.py"), str(options.hosts), str(options.latency),
         "--log", str(log)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        assert server.stdout is not None
        port = int(server.stdout.readline())
        command = prepared(
            work / "crawl", port, options.hosts, options.pages, options.threads, options.delay
        )
        done = subprocess.run(
            [sys.executable, __file__, AS_FETCH, str(command)],
            capture_output=True, text=True, check=True,
        )  # fmt: skip
    finally:
        server.communicate()
    fetched = json.loads(done.stdout.splitlines()[-1])
    found = judged(log, options.delay, options.latency)
    pages = found["pages"]
    cpu = fetched["cpu_s"] - fetched["start_up_s"]
    print(f"{found['hosts']:,} hosts, {pages:,} pages in {fetched['wall_s']:.1f} s, "
          f"{options.threads} threads; {fetched['counts']}")  # fmt: skip
    ideal = options.hosts / (options.delay + options.latency)
    print(f"rate {100 * found['of_ideal']:.1f} % of ideal ({ideal:.0f} pages/s)")
    print(f"asked early {found['early']}; least wait {found['least_wait_s']:.3f} s")
    print(f"late: median {found['late_p50_s']:.3f} s, p99 {found['late_p99_s']:.3f} s, "
          f"most {found['late_most_s']:.3f} s")  # fmt: skip
    print(f"CPU {fetched['cpu_s']:.1f} s, {1000 * cpu / pages:.2f} a 1,000 pages without start-up")
    print(f"peak {fetched['peak_mb']:.0f} MB; at its end, libraries left out, "
          f"{fetched['own_mb']:.0f} MB")  # fmt: skip
    return exit_code([
        Bound("rate by the ideal one", found["of_ideal"], least=options.rate_least),
        Bound("hosts asked early", found["early"], most=0),
        Bound("lateness p99, s", found["late_p99_s"], options.late_most),
        Bound("peak, MB", fetched["peak_mb"], options.memory_most),
    ])  # fmt: skip


def main() -> int:
    if sys.argv[1:2] == [AS_FETCH]:
        fetch(Path(sys.argv[2]))
        return 0
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--hosts", type=int, default=1_000)
    parser.add_argument("--delay", type=float, default=1.0)
    parser.add_argument("--latency", type=float, default=0.1)
    parser.add_argument("--pages", type=int, default=20, help="of one host")
    parser.add_argument("--threads", type=int, default=256)
    parser.add_argument("--work", type=Path, default=Path("build/politeness"))
    parser.add_argument("--rate-least", type=float, default=0.95, help="by the ideal one")
    parser.add_argument("--late-most", type=float, default=0.3, help="seconds, 99 of 100")
    parser.add_argument("--memory-most", type=float, default=150.0, help="MB")
    return run(parser.parse_args())


if __name__ == "__main__":
    sys.exit(main())
