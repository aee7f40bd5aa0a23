"""Jobs killed at any moment, and run side by side: real processes on a crawl of some size."""

import json
import random
import shutil
import subprocess
import sys
import time
from collections import deque
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from subprocess import PIPE

import pyarrow.parquet as pq
import pytest

from crawl_ops.config.load import load
from crawl_ops.index.search import get, indexed_ids
from crawl_ops.jobs.dedup import dedup
from crawl_ops.jobs.generate import generate
from crawl_ops.jobs.index import index
from crawl_ops.jobs.inject import inject
from crawl_ops.jobs.invertlinks import invertlinks
from crawl_ops.jobs.mergesegs import mergesegs
from crawl_ops.jobs.updatedb import updatedb
from crawl_ops.jobs.vacuum import vacuum
from crawl_ops.storage.crawl_dir import TABLES, CrawlDir
from crawl_ops.storage.manifest import KINDS

pytestmark = pytest.mark.whole

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
LONG_AFTER = datetime(2100, 1, 1, tzinfo=UTC)
ONE, TWO, SMALL, SMALLER = (f"2026030{day}000000" for day in range(1, 5))
KILLS = 10
PAGES, FETCHED, LINKS = 3000, 800, 20_000
URLS = [f"http://h{n % 97}.test/{n}" for n in range(PAGES)]
PAGES_OF = ("crawl_fetch", "crawl_parse", "parse_text")
CONF = {"duckdb.threads": 1, "db.bucket.rows": 4000}
OVER = {"db.deltas.rows": 0}  # small rounds are laid over these small tables
ANEW = {"db.deltas.rows": 0, "db.deltas.max": 1, "db.bucket.rows": 1000}  # after one: written anew
SEEDS = [f"http://h{n % 97}.test/{n}\tnutch.score=7" for n in range(2950, 3050)]

PROCESS = f"""
import json, sys
from datetime import datetime
from crawl_ops.config.load import load
from crawl_ops.errors import CrawlError
from crawl_ops.jobs.dedup import dedup
from crawl_ops.jobs.generate import generate
from crawl_ops.jobs.index import index
from crawl_ops.jobs.inject import inject
from crawl_ops.jobs.invertlinks import invertlinks
from crawl_ops.jobs.mergesegs import mergesegs
from crawl_ops.jobs.updatedb import updatedb
from crawl_ops.storage.crawl_dir import CrawlDir
now = datetime.fromisoformat("{NOW.isoformat()}")
print("ready", flush=True)
job, root, conf, arguments, options = json.loads(sys.stdin.readline())
crawl, config = CrawlDir.open(root), load(None, conf)
print("go", flush=True)
try:
    globals()[job](crawl, config, *arguments, now, **options)
except CrawlError as error:
    sys.exit(3 if error.retryable else 1)
"""
SEEDING = {"update": True, "operation": "inject:seeds"}
CALLS = {
    "updatedb": ("updatedb", [[ONE]], {}, {}),
    "updatedb laid over": ("updatedb", [[SMALL]], {}, OVER),
    "updatedb written anew": ("updatedb", [[SMALLER]], {}, ANEW),
    "inject laid over": ("inject", [SEEDS], SEEDING, OVER),
    "inject written anew": ("inject", [SEEDS], SEEDING, ANEW),
    "generate": (
        "generate",
        [],
        {"run_id": "run", "depth": 1, "topn": 800, "num_fetchers": 3},
        {},
    ),
    "invertlinks": ("invertlinks", [None], {}, {}),
    "index": ("index", [None], {}, {}),
    "dedup": ("dedup", [], {}, {}),
    "mergesegs": ("mergesegs", [[ONE, TWO]], {}, {}),
}
STAGES = {
    "inject laid over": "laid",
    "updatedb written anew": "laid",
    "inject written anew": "laid",
}
JOBS = {
    job.__name__: job for job in (updatedb, generate, inject, invertlinks, index, dedup, mergesegs)
}


class Processes:
    """Processes that have done their imports and wait for a job."""

    def __init__(self) -> None:
        self._waiting = deque(self._another() for _ in range(2))

    def run(self, call, root, arguments=None):
        """A process that has just begun a job."""
        job, given, options, conf = CALLS[call]
        process = self._waiting.popleft()
        self._waiting.append(self._another())
        assert process.stdout.readline() == "ready\n"
        told = [job, str(root), CONF | conf, given if arguments is None else arguments, options]
        process.stdin.write(json.dumps(told) + "\n")
        process.stdin.flush()
        assert process.stdout.readline() == "go\n"
        return process

    def _another(self):
        command = [sys.executable, "-c", PROCESS]
        return subprocess.Popen(command, stdin=PIPE, stdout=PIPE, text=True)

    def close(self):
        for process in self._waiting:
            end(process)


def end(process):
    """Kill a process that this test started, and wait for its end; returns its exit code."""
    with process:
        process.kill()
    return process.returncode


@pytest.fixture(scope="module")
def processes():
    pool = Processes()
    yield pool
    pool.close()


@pytest.fixture(scope="module")
def stages(tmp_path_factory):
    """Where each job's crawl is, as it stands before the job; filled by the first test."""
    return tmp_path_factory.mktemp("stages")


def config():
    return load(None, CONF)


def run(crawl, call, arguments=None):
    job, given, options, conf = CALLS[call]
    given = given if arguments is None else arguments
    return JOBS[job](crawl, load(None, CONF | conf), *given, NOW, **options)


def furnish(crawl, chosen):
    """A crawldb, and segments: pages with a few duplicates among them, and their links."""
    crawl.known([{"url": url, "score": chosen.random()} for url in URLS], bits=2)
    for number, name in enumerate((ONE, TWO)):
        add_segment(crawl, chosen, name, number)


def add_segment(crawl, chosen, name, number, pages=FETCHED, links=LINKS // 2):
    fetched = chosen.sample(URLS, pages)
    at = {"fetch_time": NOW + timedelta(hours=number)}
    new = [f"http://new{n % 31}.test/{n}" for n in range(300)]
    links = zip(
        chosen.choices(fetched, k=links),
        chosen.choices(URLS + new, k=links),
        strict=True,
    )
    crawl.segment(
        name,
        fetched=[crawl.fetched(url, **at) for url in fetched],
        parsed=[
            crawl.parsed(url, f"{chosen.randrange(700)}".encode().ljust(16), title=url, **at)
            for url in fetched
        ],
        parse_text=[
            {**crawl.identity(url), "attempt": "a", "text": f"{url} words " * 50} for url in fetched
        ],
        links=[crawl.link(*link, anchor="an anchor") for link in links],
    )


@pytest.fixture
def before(stages, another_crawl):
    """Makes a crawl as it is before a job, in a folder of a name."""
    if not (stages / "updatedb").exists():
        crawl = another_crawl("furnished")
        furnish(crawl, random.Random(1))
        for job in ("updatedb", "generate", "invertlinks"):
            shutil.copytree(crawl.crawl.root, stages / job)
        for job in ("updatedb", "invertlinks"):
            run(crawl.crawl, job)
        shutil.copytree(crawl.crawl.root, stages / "index")
        run(crawl.crawl, "index")
        shutil.copytree(crawl.crawl.root, stages / "dedup")
        for number, name in enumerate((SMALL, SMALLER), 2):
            add_segment(crawl, random.Random(name), name, number, pages=40, links=200)
        shutil.copytree(crawl.crawl.root, stages / "updatedb laid over")
        run(crawl.crawl, "updatedb laid over")
        shutil.copytree(crawl.crawl.root, stages / "laid")
        run(crawl.crawl, "updatedb", [[TWO]])
        run(crawl.crawl, "index")
        shutil.copytree(crawl.crawl.root, stages / "mergesegs")

    def make(job, folder):
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(stages / STAGES.get(job, job), folder)
        return CrawlDir.open(folder)

    return make


def state(crawl):
    """Everything that users can see of a crawl: rows of tables, fetch lists, the index."""
    return {
        **{name: rows(crawl, name) for name in TABLES},
        "folded": {name: crawl.table(name).current().segments for name in TABLES},
        "pages": [pages(crawl, name) for name in crawl.segments()],
        "lists": [fetch_lists(crawl, name) for name in made(crawl)],
        "indexed": list(indexed_ids(crawl.index_location)),
    }


def made(crawl):
    """The segments that generate has made."""
    return [name for name in crawl.segments() if name not in (ONE, TWO, SMALL, SMALLER)]


def rows(crawl, name):
    """The rows of a table, whatever files hold them."""
    with crawl.session(config()) as session:
        session.bind_table(name, crawl.table(name).current())
        return session.connection.sql(f"FROM {name} ORDER BY ALL").to_arrow_table()


def fetch_lists(crawl, name):
    files = crawl.segment(name).part_files("crawl_generate")
    return [pq.read_table(crawl.files.location(file.path)) for file in files]


def pages(crawl, name):
    """The fetches, links and texts of a segment, whatever files hold them."""
    with crawl.session(config()) as session:
        for part in PAGES_OF:
            session.bind_part(crawl.segment(name), part)
        return [session.connection.sql(f"FROM {p} ORDER BY ALL").to_arrow_table() for p in PAGES_OF]


def documents(crawl):
    return {url: get(crawl.index_location, url) for url in indexed_ids(crawl.index_location)}


def leftovers(crawl):
    """Files that nothing names after a vacuum."""
    named = {e.path for name in TABLES for v in versions(crawl, name) for e in v.files}
    base = {
        path for name in TABLES for kind in KINDS for path in crawl.files.walk(f"{name}/{kind}")
    }
    tantivy = {path for path in crawl.files.walk("index/tantivy") if "/.tmp" in path}
    segments = set(crawl.files.names("segments")) - set(crawl.segments())
    return (base - named) | set(crawl.files.walk("scratch")) | tantivy | segments


def versions(crawl, name):
    table = crawl.table(name)
    return [table.version(number) for number in table.versions()]


def seconds(processes, job, root):
    """How long a job takes in a process."""
    process = processes.run(job, root)
    started = time.monotonic()
    with process:
        assert process.wait(60) == 0
    return time.monotonic() - started


@pytest.mark.timeout(900)  # 45 s alone; with the machine busy it took 275
@pytest.mark.parametrize("job", list(CALLS))
def test_a_job_killed_at_any_moment_has_done_nothing_or_all(before, processes, tmp_path, job):
    crawl = before(job, tmp_path / "undisturbed")
    old = state(crawl)
    length = seconds(processes, job, crawl.root)
    new, texts = state(crawl), documents(crawl)
    assert new != old
    kinds = {entry.kind for entry in crawl.table("crawldb").current().files}
    assert ("changed" in kinds) == job.endswith("laid over")
    chosen = random.Random(job)
    kills = KILLS // 2 if job in STAGES else KILLS
    moments = [(number + chosen.random()) / kills for number in range(kills)]
    spare = kills  # tries for when the job was faster than the kill
    while moments:
        crawl = before(job, tmp_path / "killed")
        process = processes.run(job, crawl.root)
        started = time.monotonic()
        with suppress(subprocess.TimeoutExpired):
            process.wait(moments[0] * length)
        took = time.monotonic() - started
        if end(process) == 0 and spare:
            length, spare = took, spare - 1
            continue
        moment = f"killed at {moments.pop(0):.2f} of {length:.2f} s"
        seen = state(crawl)
        for what in ("crawldb", "linkdb", "hostdb", "lists", "indexed", "pages"):
            assert seen[what] in (old[what], new[what]), f"{what} {moment}"
        run(crawl, job)
        assert state(crawl) == new, f"rerun {moment}"
        vacuum(crawl, config(), LONG_AFTER)
        assert leftovers(crawl) == set(), moment
    assert documents(crawl) == texts


def test_leftovers_of_many_kills_go_with_a_vacuum(before, processes, tmp_path):
    crawl = before("updatedb", tmp_path / "killed")
    length = seconds(processes, "updatedb", before("updatedb", tmp_path / "undisturbed").root)
    for part in (0.3, 0.5, 0.7):
        process = processes.run("updatedb", crawl.root)
        with suppress(subprocess.TimeoutExpired):
            process.wait(part * length)
        end(process)
    vacuum(crawl, config(), LONG_AFTER)
    assert leftovers(crawl) == set()
    run(crawl, "updatedb")
    assert rows(crawl, "crawldb") == rows(CrawlDir.open(tmp_path / "undisturbed"), "crawldb")


def test_updatedb_twice_changes_nothing(before, processes, tmp_path):
    crawl = before("updatedb", tmp_path / "crawl")
    run(crawl, "updatedb")
    once, files = state(crawl), sorted(Path(crawl.root).rglob("*.parquet"))
    with processes.run("updatedb", crawl.root) as process:
        assert process.wait(60) == 0
    assert state(crawl) == once
    assert sorted(Path(crawl.root).rglob("*.parquet")) == files


def test_two_updatedb_at_once_of_two_segments_lose_nothing(before, processes, tmp_path):
    wanted = []
    for order in ((ONE, TWO), (TWO, ONE)):
        alone = before("updatedb", tmp_path / order[0])
        for name in order:
            run(alone, "updatedb", [[name]])
        wanted.append(rows(alone, "crawldb"))
    crawl = before("updatedb", tmp_path / "crawl")
    both = {name: processes.run("updatedb", crawl.root, [[name]]) for name in (ONE, TWO)}
    for name, process in both.items():
        with process:
            code = process.wait(60)
        assert code in (0, 3)
        if code == 3:  # a conflict, to be tried again
            run(crawl, "updatedb", [[name]])
    assert set(crawl.table("crawldb").current().segments) == {ONE, TWO}
    assert rows(crawl, "crawldb") in wanted
    assert len(rows(crawl, "hostdb")) == 97 + 31


def test_all_jobs_at_once_end_in_order(before, processes, tmp_path):
    crawl = before("updatedb", tmp_path / "crawl")
    run(crawl, "updatedb")
    wanted = before("dedup", tmp_path / "alone")
    run(wanted, "dedup")
    at_once = [processes.run(job, crawl.root) for job in ("index", "dedup", "invertlinks")]
    for process in at_once:
        with process:
            assert process.wait(60) == 0
    run(crawl, "index", [[ONE]])
    run(crawl, "dedup")
    assert rows(crawl, "linkdb") == rows(wanted, "linkdb")
    assert rows(crawl, "crawldb") == rows(wanted, "crawldb")
    assert documents(crawl) == documents(wanted)
