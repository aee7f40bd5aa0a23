"""Airflow with LocalExecutor, its parts killed while a crawl runs: the run ends well by itself."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
import urllib.request
from collections import Counter
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import psutil
import pytest

from crawl_ops.config.load import load
from crawl_ops.storage.crawl_dir import CrawlDir

ROOT = Path(__file__).parents[2]
PAGES = 30
PATIENCE_S = 240
STATUSES = "SELECT url, status FROM crawldb"

pytestmark = [pytest.mark.whole, pytest.mark.timeout(900)]


class Site:
    """A page with links to others that take their time."""

    def __init__(self):
        self.asked = Counter()
        self._over = threading.Event()
        site = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                if self.path != "/robots.txt":
                    site.asked[self.path] += 1
                    site._over.wait(0.4)
                links = range(PAGES) if self.path == "/" else ()
                body = f"Page {self.path} {' '.join(f'<a href=/{n}>{n}</a>' for n in links)}"
                self.send_response(404 if self.path == "/robots.txt" else 200)
                self.send_header("Content-Type", "text/html")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body.encode())

            def log_message(self, *_):
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.handle_error = lambda *_: None  # a killed client leaves in the middle
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self._server.server_port}/"

    def until_asked(self, pages):
        deadline = time.monotonic() + PATIENCE_S
        while len(self.asked) < pages:
            assert time.monotonic() < deadline, self.asked
            self._over.wait(0.1)

    def close(self):
        self._over.set()
        self._server.shutdown()
        self._server.server_close()


class Airflow:
    """`make airflow` in a project folder of its own."""

    def __init__(self, folder):
        self.folder = folder
        for name in ("dags", "include"):
            (folder / name).symlink_to(ROOT / name)
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("AIRFLOW", "CRAWL_"))}
        self.environment = {
            **kept,
            "CRAWL_HOME": str(folder),
            "CRAWL_STORE": str(folder / "store"),
            "CRAWL_MAX_DEPTH": "2",
            "PYTHONPATH": str(ROOT),
        }
        self.api = ""
        self.process = None

    def start(self):
        self.process = subprocess.Popen(
            [sys.executable, "-m", "crawl_ops.operators.launcher", "--port", "0"],
            env=self.environment,
            cwd=self.folder,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        for line in self.process.stdout:
            if line.startswith("Airflow is up: "):
                self.api = line.split()[3].partition("/dags/")[0]
                break
        assert self.api, "Airflow did not come up"
        threading.Thread(target=self.process.stdout.read, daemon=True).start()
        self.token = self.ask("/auth/token")["access_token"]

    def ask(self, path, body=None):
        headers = {"Authorization": f"Bearer {getattr(self, 'token', '')}"}
        data = None if body is None else json.dumps(body).encode()
        headers["Content-Type"] = "application/json"
        request = urllib.request.Request(self.api + path, data, headers)
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.loads(answer.read())

    def trigger(self, run_id, site):
        conf = {"seeds": [site.url], "crawl_id": run_id, "depth": 2, "agent": "testbot", "delay": 0}
        body = {"dag_run_id": run_id, "logical_date": None, "conf": conf}
        self.ask("/api/v2/dags/crawl/dagRuns", body)

    def until_over(self, run_id):
        deadline = time.monotonic() + PATIENCE_S
        state = ""
        while state not in ("success", "failed"):
            assert time.monotonic() < deadline, state
            time.sleep(1)  # noqa: TID251
            state = self.ask(f"/api/v2/dags/crawl/dagRuns/{run_id}")["state"]
        return state

    def tries(self, run_id):
        found = self.ask(f"/api/v2/dags/crawl/dagRuns/{run_id}/taskInstances?limit=100")
        return {one["task_id"]: one["try_number"] for one in found["task_instances"]}

    def parts(self):
        """All processes, by what they call themselves."""
        return psutil.Process(self.process.pid).children(recursive=True)

    def of(self, word):
        found = [one for one in self.parts() if word in " ".join(one.cmdline())]
        assert found, [" ".join(one.cmdline())[:100] for one in self.parts()]
        return found

    def worker(self):
        """The process that looks after the running task, which is its child."""
        (busy,) = (one for one in self.of("LocalExecutor: ") if one.children())
        return busy

    def kill_all(self):
        for one in [*self.parts(), psutil.Process(self.process.pid)]:
            one.kill()
        self.process.wait()

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            self.process.wait(120)
        self.process.stdout.close()


@pytest.fixture(scope="module")
def airflow(tmp_path_factory):
    airflow = Airflow(tmp_path_factory.mktemp("killed"))
    airflow.start()
    yield airflow
    airflow.stop()


@pytest.fixture
def site():
    site = Site()
    yield site
    site.close()


def is_whole(airflow, run_id, site, twice):
    """Every page was had; `twice`: how many may have been asked for again (on the wire)."""
    crawl = CrawlDir.open(airflow.folder / "store" / run_id)
    known = {row["url"]: row["status"] for row in crawl.query(load(), STATUSES)}
    paths = ["", *(str(n) for n in range(PAGES))]
    assert known == {site.url + path: "db_fetched" for path in paths}
    assert sum(site.asked.values()) <= PAGES + 1 + twice, site.asked
    assert len(crawl.segments()) == 2


def half_way(airflow, run_id, site):
    airflow.trigger(run_id, site)
    site.until_asked(PAGES // 2)


def test_the_task_is_killed(airflow, site):
    half_way(airflow, "task", site)
    for task in airflow.worker().children():
        task.kill()
    assert airflow.until_over("task") == "success"
    is_whole(airflow, "task", site, twice=1)
    assert airflow.tries("task")["depth_02.partition.fetch"] == 2


def test_the_worker_is_killed(airflow, site):
    half_way(airflow, "worker", site)
    worker = airflow.worker()
    tasks = worker.children()
    worker.kill()
    for task in tasks:  # it would go on; then the next try waits for it
        task.kill()
    assert airflow.until_over("worker") == "success"
    is_whole(airflow, "worker", site, twice=1)
    assert airflow.tries("worker")["depth_02.partition.fetch"] == 2


def test_everything_is_killed(airflow, site):
    half_way(airflow, "all", site)
    airflow.kill_all()
    airflow.process.stdout.close()
    airflow.start()
    assert airflow.until_over("all") == "success"
    is_whole(airflow, "all", site, twice=1)


@pytest.mark.parametrize("part", ["scheduler", "api_server"])
def test_a_part_is_killed(airflow, site, part):
    half_way(airflow, part, site)
    min(airflow.of(part), key=lambda one: one.create_time()).kill()
    # The launcher tells it and ends: it is started again.
    assert airflow.process.wait(120) == 1
    airflow.process.stdout.close()
    airflow.start()
    assert airflow.until_over(part) == "success"
    is_whole(airflow, part, site, twice=1)


def test_a_run_that_is_late_is_told(airflow):
    date = (datetime.now(UTC) - timedelta(hours=13)).isoformat()  # noqa: TID251
    airflow.ask(
        "/api/v2/dags/crawl_daily/dagRuns",
        {"dag_run_id": "late", "logical_date": date, "conf": {"crawl_id": "late"}},
    )
    logs = airflow.folder / ".airflow" / "web" / "logs"
    deadline = time.monotonic() + PATIENCE_S
    while not any(
        "crawl_daily, run late: is late" in file.read_text(errors="replace")
        for file in logs.rglob("*.log")
    ):
        assert time.monotonic() < deadline
        time.sleep(1)  # noqa: TID251
