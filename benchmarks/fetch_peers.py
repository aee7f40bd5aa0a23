"""The fetch job beside plain requests on threads, and beside crawlers: CPU seconds per 1,000 pages.

    python benchmarks/fetch_peers.py [--hosts 64] [--pages 100] [--rounds 3]
    python benchmarks/fetch_peers.py --bench FOLDER --web W --python V/bin/python [--limit 4000]

Alone, it serves one page from many loopback addresses (polite_server.py, without latency) and runs
`requests.get` on threads and our whole fetch job (robots.txt, journal, Parquet) in turn. With
--bench it puts us among the peers of a folder that has run_peers.py, webgen.py and a web W of many
hosts; Crawl-delay is taken out of W's robots.txt, because the peers do not keep it.

Each bound is told as met or missed, exit code 1 if one is missed: --fetch-most for fetch by plain
requests and, with --bench, --scrapy-most and --lxml-most for fetch + parse + store by Scrapy (lxml)
and by plain requests with threads, lxml and Parquet.
"""

import argparse
import json
import os
import queue
import re
import resource
import shlex
import shutil
import statistics
import subprocess
import sys
import threading
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bounds import Bound, exit_code
from polite_server import address

HERE = Path(__file__).parent
AGENT = "benchbot"
PEERS = {"fetch": "requests", "full": "requests,scrapy_lxml"}


def configuration(threads: int) -> Any:
    """As the peers have it: no delay, redirects recorded and not followed."""
    from crawl_ops.config.load import load

    return load(None, {
        "http.agent.name": AGENT,
        "http.filter.ipaddress.exclude": "",
        "http.redirect.max": 0,
        "sitemaps_from_robots": False,
        "fetcher.server.delay": 0.0,
        "fetcher.threads.fetch": threads,
    })  # fmt: skip


def prepare(crawl: Path, urls: list[str]) -> None:
    """A crawl with one generated segment of these URLs."""
    from crawl_ops.jobs.generate import generate
    from crawl_ops.jobs.inject import inject
    from crawl_ops.storage.crawl_dir import CrawlDir

    if crawl.exists():
        shutil.rmtree(crawl)
    made, config, now = CrawlDir.open(crawl, create=True), configuration(1), datetime.now(UTC)
    inject(made, config, urls, now)
    generate(made, config, now, num_fetchers=1)


def us(crawl: Path, out: Path, threads: int, parse_too: bool) -> None:
    """A peer: our jobs on a copy of the prepared crawl, in this process."""
    from crawl_ops.jobs.fetch import fetch
    from crawl_ops.jobs.parse import parse
    from crawl_ops.storage.crawl_dir import CrawlDir

    shutil.copytree(crawl, out / "crawl")
    copy, config = CrawlDir.open(out / "crawl"), configuration(threads)
    (segment,) = copy.segments()
    start_up, started = cpu_s(), time.perf_counter()
    report = fetch(copy, config, segment, lambda: datetime.now(UTC))
    if parse_too:
        parse(copy, config, segment, datetime.now(UTC))
    denied = "SELECT count(*) AS n FROM crawl_fetch WHERE http_status IS NULL"
    cpu, wall = cpu_s() - start_up, time.perf_counter() - started
    (row,) = copy.query(config, denied)
    told({
        "responses": sum(n for k, n in report.counts.items() if k[:6] == "fetch_") - row["n"],
        "cpu_s": cpu, "start_up_s": start_up, "wall_s": wall, "counts": report.counts,
        "bytes": sum(f.stat().st_size for f in (out / "crawl").rglob("*") if f.is_file()),
    })  # fmt: skip


def plain(urls: list[list[str]], threads: int) -> None:
    """A peer: requests.get on threads, a host at a time, content read and dropped."""
    import requests

    hosts: queue.SimpleQueue[list[str]] = queue.SimpleQueue()
    for host in urls:
        hosts.put(host)
    counts: list[int] = []

    def work() -> None:
        session = requests.Session()
        session.headers.update({"User-Agent": AGENT, "Accept-Encoding": "gzip"})
        while True:
            try:
                host = hosts.get_nowait()
            except queue.Empty:
                return
            session.get(host[0].rpartition("/")[0] + "/robots.txt", timeout=20)
            counts.extend(len(session.get(url, timeout=20).content) for url in host)

    start_up, started = cpu_s(), time.perf_counter()
    workers = [threading.Thread(target=work) for _ in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    told({"responses": len(counts), "cpu_s": cpu_s() - start_up, "start_up_s": start_up,
          "wall_s": time.perf_counter() - started, "bytes": sum(counts)})  # fmt: skip


def cpu_s() -> float:
    """CPU seconds of this process and of those that it has waited for."""
    mine, others = (resource.getrusage(who) for who in (resource.RUSAGE_SELF,
                                                         resource.RUSAGE_CHILDREN))  # fmt: skip
    return mine.ru_utime + mine.ru_stime + others.ru_utime + others.ru_stime


def told(result: dict[str, Any]) -> None:
    """A peer's last line."""
    status = Path("/proc/self/status").read_text()  # ru_maxrss would count what its parent had
    peak = int(status.partition("VmHWM:")[2].split()[0]) / 1024
    print(json.dumps({**result, "peak_mb": peak}), flush=True)


def run(*command: str) -> dict[str, Any]:
    """A peer in a process of its own."""
    done = subprocess.run([sys.executable, __file__, *command], stdout=subprocess.PIPE, check=True)
    return dict(json.loads(done.stdout.splitlines()[-1]))


def alone(options: argparse.Namespace) -> int:
    """Plain requests and our fetch in turn on our own server."""
    work = options.work.resolve()
    work.mkdir(parents=True, exist_ok=True)
    server = subprocess.Popen(
        [sys.executable, str(HERE / "polite_server.py"), str(options.hosts), "0",
         "--log", os.devnull, "--kb", str(options.kb), "--gzip"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    found: dict[str, list[dict[str, Any]]] = {"requests": [], "crawl_ops": []}
    try:
        assert server.stdout is not None
        port = int(server.stdout.readline())
        urls = [[f"http://{address(h)}:{port}/{n}" for n in range(options.pages)]
                for h in range(options.hosts)]  # fmt: skip
        (work / "urls.json").write_text(json.dumps(urls))
        prepare(work / "prepared", [url for host in urls for url in host])
        threads = str(options.threads)
        for number in range(options.rounds):
            out = work / f"out-{number}"
            shutil.rmtree(out, ignore_errors=True)
            out.mkdir()
            found["requests"].append(run("--as-plain", str(work / "urls.json"), threads))
            found["crawl_ops"].append(
                run("--as-peer", "fetch", str(work / "prepared"), str(out), threads)
            )
            shutil.rmtree(out)
    finally:
        server.communicate()
    for name, runs in found.items():
        each = [1000 * r["cpu_s"] / r["responses"] for r in runs]
        whole = [1000 * (r["cpu_s"] + r["start_up_s"]) / r["responses"] for r in runs]
        last = runs[-1]
        print(f"{name:10} {median(each):.3f} CPU s a 1,000 pages ({min(each):.3f}-{max(each):.3f}),"
              f" with start-up {median(whole):.3f}; {last['responses']:,} pages, "
              f"{last['bytes']:,} bytes, peak {last['peak_mb']:.0f} MB")  # fmt: skip
    ratio = compared(found["crawl_ops"], found["requests"])
    return exit_code([Bound("fetch by requests", ratio, options.fetch_most)])


def compared(ours: list[dict[str, Any]], theirs: list[dict[str, Any]]) -> float:
    """Our CPU per page by that of a peer, medians of the rounds."""
    one, other = (median([r["cpu_s"] / r["responses"] for r in runs]) for runs in (ours, theirs))
    return one / other


def median(values: list[float]) -> float:
    return statistics.median(values)


def among_peers(options: argparse.Namespace) -> int:
    """Us in the run of another folder's peers."""
    web, work = options.web.resolve(), options.work.resolve()
    work.mkdir(parents=True, exist_ok=True)
    if not (web / "meta.json").exists():
        subprocess.run(
            [options.python, str(options.bench / "webgen.py"), "--out", str(web)], check=True
        )
    for robots in web.glob("www/**/robots.txt"):
        robots.write_bytes(re.sub(rb"(?im)^crawl-delay:.*\n?", b"", robots.read_bytes()))
        robots.with_name("robots.txt.gz").unlink(missing_ok=True)
    lines = (web / "urls.tsv").read_text("utf-8").splitlines()[: options.limit]
    prepare(work / "prepared", [line.split("\t")[0] for line in lines])
    results = []
    for mode in options.modes:
        out = work / f"results-{mode}.json"
        mine = [sys.executable, str(Path(__file__).resolve()), "--as-peer", "{mode}",
                str(work / "prepared"), "{out}", "{concurrency}"]  # fmt: skip
        subprocess.run(
            [options.python, str(options.bench / "run_peers.py"), "--web", str(web),
             "--peers", options.peers or PEERS[mode], "--modes", mode,
             "--limit", str(options.limit), "--rounds", str(options.rounds),
             "--concurrency", str(options.threads), "--add",
             "crawl_ops=" + shlex.join(mine), "--out", str(out), "--tmp", str(work)],
            check=True,
        )  # fmt: skip
        results += json.loads(out.read_text())

    def of(peer: str, mode: str) -> list[dict[str, Any]]:
        return [r for r in results if (r["peer"], r["mode"]) == (peer, mode) and r.get("responses")]

    bounds = []
    if "fetch" in options.modes:
        fetch = compared(of("crawl_ops", "fetch"), of("requests", "fetch"))
        bounds.append(Bound("fetch by requests", fetch, options.fetch_most))
    if "full" in options.modes:
        whole = "fetch + parse + store by"
        full, scrapy = (
            compared(of("crawl_ops", "full"), of(peer, "full"))
            for peer in ("requests", "scrapy_lxml")
        )
        bounds.append(Bound(f"{whole} requests, lxml and Parquet", full, options.lxml_most))
        bounds.append(Bound(f"{whole} Scrapy (lxml)", scrapy, options.scrapy_most))
    return exit_code(bounds)


def main() -> int:
    if sys.argv[1:2] == ["--as-peer"]:
        mode, crawl, out, threads = sys.argv[2:6]
        us(Path(crawl), Path(out), int(threads), mode == "full")
        return 0
    if sys.argv[1:2] == ["--as-plain"]:
        plain(json.loads(Path(sys.argv[2]).read_text()), int(sys.argv[3]))
        return 0
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--hosts", type=int, default=64)
    parser.add_argument("--pages", type=int, default=100, help="of one host")
    parser.add_argument("--kb", type=int, default=21, help="size of a page")
    parser.add_argument("--threads", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--work", type=Path, default=Path("build/fetch_peers"))
    parser.add_argument("--bench", type=Path, help="folder with run_peers.py")
    parser.add_argument("--web", type=Path, default=Path("build/web"))
    parser.add_argument("--python", default="python3", help="that has the peers installed")
    parser.add_argument("--peers", default="", help="others than those that bounds are for, too")
    parser.add_argument("--modes", nargs="+", choices=tuple(PEERS), default=list(PEERS))
    parser.add_argument("--limit", type=int, default=4_000)
    parser.add_argument("--fetch-most", type=float, default=0.6)
    parser.add_argument("--scrapy-most", type=float, default=1 / 3)
    parser.add_argument("--lxml-most", type=float, default=1.0)
    options = parser.parse_args()
    return among_peers(options) if options.bench else alone(options)


if __name__ == "__main__":
    sys.exit(main())
