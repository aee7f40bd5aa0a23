"""Airflow's parts killed (kill -9) while crawls run: each run ends well, as if nothing had been.

One Airflow an executor, and a run for each part. First all runs are held in the middle of their
fetch, by the site, and then in their updatedb, which stops itself before its first commit: a kill
hits what it is meant to hit, and what is waited for after it is waited for once.
"""

import contextlib
import shutil
import threading
import time
from collections import Counter
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace

import psutil
import pytest

from crawl_ops.config.load import load
from crawl_ops.jobs.dedup import dedup
from crawl_ops.jobs.fetch import fetch
from crawl_ops.jobs.generate import generate
from crawl_ops.jobs.index import index
from crawl_ops.jobs.inject import inject
from crawl_ops.jobs.invertlinks import invertlinks
from crawl_ops.jobs.parse import parse
from crawl_ops.jobs.updatedb import updatedb
from crawl_ops.storage.crawl_dir import CrawlDir
from tests.airflow.topology import PATIENCE_S, ROOT, Compose, MakeAirflow, until

PAGES = 24
KNOWN = 300_000
PARTS = ("task", "worker", "scheduler", "api-server")
EVERYTHING = "everything"
NOT_DUE = timedelta(days=60)  # what is due later than db.fetch.interval.max counts as due
CRAWL_TOML = """
"http.agent.name" = "undisturbed"
"http.filter.ipaddress.exclude" = []
"http.timeout" = 120000
"fetcher.server.delay" = 0.0
"urlfilter.regex.rules" = "+."
"linkdb.ignore.internal.links" = false
"db.deltas.max" = 0
"duckdb.threads" = 1
"""
DAGS = f"""
# For airflow: a dag for each part that is killed. Its tasks' processes read this file first.
import os, signal
from datetime import timedelta
from pathlib import Path
from crawl_ops.operators.crawl_dag import crawl_dag
from crawl_ops.storage.table import Commit

publish = Commit.publish

def held(commit, report):
    root = str(commit.table.files.root)
    updatedb = (commit.job, commit.table.name) == ("updatedb", "crawldb")
    if updatedb and not Path(root + ".released").exists():
        with open(root + ".held", "a") as file:
            print(os.getpid(), file=file)
        os.kill(os.getpid(), signal.SIGSTOP)
    return publish(commit, report)

Commit.publish = held

for name in {(*PARTS, EVERYTHING)!r}:
    dag = globals()[name] = crawl_dag(name, depths=1)
    for task in dag.tasks:
        settings = getattr(task, "partial_kwargs", None)
        if settings is None:
            task.retry_delay = timedelta(seconds=3)
        else:
            settings["retry_delay"] = timedelta(seconds=3)
"""
SEEN = {
    "crawldb": """
        SELECT count(*) AS urls, sum(score) AS score,
            bit_xor(hash(COLUMNS(* EXCLUDE (fetch_time, fetched_time, modified_time, segment))))
        FROM crawldb""",
    "pages": """
        SELECT * EXCLUDE (fetch_time, fetched_time, modified_time, segment)
        FROM crawldb WHERE host = '127.0.0.1'""",
    "linkdb": "SELECT * EXCLUDE (first_segment, last_segment) FROM linkdb",
    "hostdb": "SELECT host, unfetched, fetched, gone, failing, failed_fetches FROM hostdb",
    "crawl_generate": "SELECT url, list, position, score, status FROM crawl_generate",
    "crawl_fetch": "SELECT url, fetch_status, http_status, bytes, score FROM crawl_fetch",
    "content": "SELECT url, content, content_type, score FROM content",
    "parse_data": "SELECT url, parse_status, title, outlinks_kept, signature FROM parse_data",
    "parse_text": "SELECT url, text FROM parse_text",
    "crawl_parse": "SELECT to_url, from_url, kind, position, anchor, score FROM crawl_parse",
}

pytestmark = [pytest.mark.whole, pytest.mark.timeout(600)]


class Visits:
    """What one crawl, known by its agent's name, has asked for."""

    def __init__(self):
        self.asked, self.on_the_wire = Counter(), Counter()
        self.answered = {}
        self.gate = threading.Event()  # before it is set, half of the pages are not answered

    def note(self):
        """A kill: what was being answered, or just was, may be asked for again."""
        now = time.monotonic()
        self.on_the_wire.update(
            path for path in self.asked if self.answered.get(path, now) > now - 0.5
        )


class Site:
    """Pages with links, and a record of who asked for them."""

    def __init__(self):
        self.visits = {}
        site = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                links = ()
                if self.path != "/robots.txt":
                    links = site.visit(self.headers["User-Agent"], self.path)
                body = f"<title>{self.path}</title>{''.join(links)} page {self.path}"
                self.send_response(404 if self.path == "/robots.txt" else 200)
                self.send_header("Content-Type", "text/html")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body.encode())

            def log_message(self, *_):
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._server.handle_error = lambda *_: None  # a killed client leaves in the middle
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self._server.server_port}/"
        self.seeds = [f"{self.url}{n}" for n in range(PAGES)]

    def of(self, agent):
        return self.visits.setdefault(agent, Visits())

    def visit(self, agent, path):
        visits = self.of(agent)
        visits.answered.pop(path, None)
        visits.asked[path] += 1
        if len(visits.asked) > PAGES // 2:
            visits.gate.wait(PATIENCE_S)
        visits.answered[path] = time.monotonic()
        number = int(path[1:])
        return [f"<a href=/{number * n}>to {n}</a> " for n in range(2, 5)]

    def close(self):
        for visits in self.visits.values():
            visits.gate.set()
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture(scope="module")
def site():
    site = Site()
    yield site
    site.close()


@pytest.fixture(scope="module")
def template(tmp_path_factory):
    """A crawl that knows many URLs, none of them due: its updatedb takes a moment."""
    folder = tmp_path_factory.mktemp("template")
    (folder / "crawl.toml").write_text(CRAWL_TOML)
    crawl = CrawlDir.open(folder / "crawl", create=True)
    many = [f"http://h{n % 97}.test/{n}" for n in range(KNOWN)]
    later = datetime.now(UTC) + NOT_DUE  # noqa: TID251
    inject(crawl, load(folder / "crawl.toml"), many, later)
    return folder


@pytest.fixture(scope="module")
def undisturbed(template, site, tmp_path_factory):
    """What is there after the same jobs, one after another."""
    root = tmp_path_factory.mktemp("undisturbed") / "crawl"
    shutil.copytree(template / "crawl", root)
    crawl, config = CrawlDir.open(root), load(template / "crawl.toml")
    site.of("undisturbed").gate.set()
    now = datetime.now(UTC)  # noqa: TID251
    inject(crawl, config, site.seeds, now)
    segment = generate(crawl, config, now, run_id="calm", depth=1, num_fetchers=1).segment
    fetch(crawl, config, segment, lambda: datetime.now(UTC))  # noqa: TID251
    parse(crawl, config, segment, now)
    for job, arguments in ((updatedb, [[segment]]), (invertlinks, [None]), (index, [None])):
        job(crawl, config, *arguments, now)
    dedup(crawl, config, now)
    return contents(crawl, config)


def contents(crawl, config):
    """All that users can see of a crawl, but for times and the names of segments."""
    seen = {
        name: [list(row.values()) for row in crawl.query(config, query)]
        for name, query in SEEN.items()
    }
    return {name: sorted(rows, key=repr) for name, rows in seen.items()}


class Freezer:
    """Knows each updatedb that has stopped itself: its new files are there, no commit is.

    A worker that is killed takes the stopped tasks of other runs with it; their next attempts
    stop as well, until a run is released.
    """

    def __init__(self, folder):
        self.folder = folder

    def until_frozen(self, dag):
        """A stopped updatedb of a run whose later ones will not stop."""
        root = self.folder / "store" / dag
        frozen = until(f"updatedb of {dag}", lambda: self._stopped(dag), every_s=0.05)
        Path(f"{root}.released").touch()
        assert len(CrawlDir.open(root).table("crawldb").versions()) == 2  # template, inject
        return frozen

    def resume(self, dag):
        for process in self._stopped(dag):
            with contextlib.suppress(psutil.NoSuchProcess):
                process.resume()

    def close(self):
        for dag in (*PARTS, EVERYTHING):
            self.resume(dag)

    def _stopped(self, dag):
        with contextlib.suppress(FileNotFoundError):
            told = (self.folder / "store" / f"{dag}.held").read_text().split("\n")
            return [process for pid in told[:-1] if (process := stopped(int(pid)))]
        return []


def stopped(pid):
    with contextlib.suppress(psutil.NoSuchProcess):
        process = psutil.Process(pid)
        return process if process.status() == psutil.STATUS_STOPPED else None


@pytest.fixture(scope="module", params=[MakeAirflow, Compose], ids=["LocalExecutor", "Celery"])
def kills(request, tmp_path_factory, template, site):
    """An Airflow, with a run for each part that is held in its fetch."""
    folder = tmp_path_factory.mktemp("killed")
    for name in ("dags", "include", "store"):
        (folder / name).mkdir()
    (folder / "include" / "demo_site").symlink_to(ROOT / "include" / "demo_site")
    shutil.copy(template / "crawl.toml", folder / "include")
    (folder / "dags" / "killed.py").write_text(DAGS)
    for name in ("crawl.py", "crawl_daily.py"):
        (folder / "dags" / name).symlink_to(ROOT / "dags" / name)
    site.visits.clear()
    airflow = request.param(folder)
    freezer = Freezer(folder)
    try:
        airflow.start()
        begin(airflow, template, site, PARTS)
        yield SimpleNamespace(airflow=airflow, freezer=freezer, site=site, template=template)
    finally:
        freezer.close()
        airflow.close()


def begin(airflow, template, site, dags):
    """Trigger runs, on crawls of their own, under agents' names of their own."""
    for dag in dags:
        shutil.copytree(template / "crawl", airflow.folder / "store" / dag)
        until(f"DAG {dag}", lambda dag=dag: known(airflow, dag))
        airflow.trigger(dag, {"seeds": site.seeds, "depth": 1, "agent": dag, "fetch_lists": 1})


def known(airflow, dag):
    found = airflow.ask("/api/v2/dags?limit=100") or {"dags": ()}
    return any(one["dag_id"] == dag for one in found["dags"])


def kill(kills, part, task):
    """Kill -9 of a part, or of what has to do with a task; back when that is up again."""
    airflow = kills.airflow
    since = datetime.now(UTC).isoformat()  # noqa: TID251
    if part == "task":
        task.kill()
    elif part == "worker":
        airflow.kill_worker(task)
    else:
        airflow.kill_part(part)
    for visits in kills.site.visits.values():
        visits.note()
    if part == "scheduler":
        airflow.until_scheduler(since)
    elif part == "api-server":
        until("API server", lambda: airflow.ask("/api/v2/version"))


def until_half(kills, part):
    """The process of a fetch in the middle of its work."""
    visits = kills.site.of(part)
    until(f"fetch of {part}", lambda: len(visits.asked) > PAGES // 2)
    time.sleep(1.5)  # noqa: TID251  (what was answered is written down by then, on any machine)
    task = "depth_01.partition.fetch"
    return until(f"fetch of {part}", lambda: kills.airflow.at_work(part, task))


@pytest.mark.parametrize("part", PARTS)
def test_a_part_is_killed_during_fetch(kills, part):
    kill(kills, part, until_half(kills, part))
    kills.site.of(part).gate.set()


@pytest.mark.parametrize("part", PARTS)
def test_a_part_is_killed_during_updatedb(kills, part):
    frozen = kills.freezer.until_frozen(part)
    kill(kills, part, frozen[-1])
    kills.freezer.resume(part)


@pytest.mark.parametrize("part", PARTS)
def test_the_run_ends_as_if_nothing_had_been(kills, part, undisturbed):
    ends_well(kills, part, undisturbed)
    tries = kills.airflow.tries(part)
    if part in ("task", "worker"):
        assert tries["depth_01.partition.fetch"] > 1
        assert tries["depth_01.updatedb"] > 1


def test_everything_is_killed(kills, undisturbed):
    begin(kills.airflow, kills.template, kills.site, [EVERYTHING])
    until_half(kills, EVERYTHING)
    kill_all(kills)
    kills.site.of(EVERYTHING).gate.set()
    kills.freezer.until_frozen(EVERYTHING)
    kill_all(kills)
    ends_well(kills, EVERYTHING, undisturbed)


def kill_all(kills):
    left = kills.airflow.kill_all()
    until("the end of all", lambda: not any(map(lives, left)), 20)
    for visits in kills.site.visits.values():
        visits.note()
    if isinstance(kills.airflow, MakeAirflow):  # Docker starts what was running by itself
        kills.airflow.start()


def lives(process):
    with contextlib.suppress(psutil.NoSuchProcess):
        return process.status() != psutil.STATUS_ZOMBIE
    return False


def ends_well(kills, part, undisturbed):
    assert until(f"end of {part}", lambda: kills.airflow.over(part), every_s=1) == "success"
    config = load(Path(kills.template) / "crawl.toml")
    seen = contents(CrawlDir.open(kills.airflow.folder / "store" / part), config)
    for name, rows in undisturbed.items():
        assert seen[name] == rows, name
    visits = kills.site.of(part)
    again = Counter({path: times - 1 for path, times in visits.asked.items()})
    assert +again <= visits.on_the_wire


def test_a_run_that_is_late_is_told(kills):
    date = (datetime.now(UTC) - timedelta(hours=13)).isoformat()  # noqa: TID251
    run = {"dag_run_id": "late", "logical_date": date, "conf": {"crawl_id": "late"}}
    until("a late run", lambda: kills.airflow.ask("/api/v2/dags/crawl_daily/dagRuns", run))

    def told():
        logs = kills.airflow.folder.rglob("*.log")
        line = "crawl_daily, run late: is late"
        return any(line in file.read_text(errors="replace") for file in logs)

    until("that it is late", told, every_s=1)
