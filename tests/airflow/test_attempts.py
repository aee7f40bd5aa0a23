"""Attempts of one fetch task in processes of their own, ended as Airflow ends them."""

import json
import os
import signal
import subprocess
import sys
import textwrap
import threading
from collections import Counter
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from crawl_ops.config.load import load
from crawl_ops.jobs.generate import generate
from crawl_ops.jobs.inject import inject
from crawl_ops.operators.fetch import FetchOperator
from crawl_ops.storage.crawl_dir import CrawlDir

PAGES = 12
PROPERTIES = {
    "http.agent.name": "testbot",
    "http.filter.ipaddress.exclude": "",
    "fetcher.server.delay": 0,
    "fetcher.threads.per.queue": 1,
    "urlfilter.regex.rules": "+.",
    "duckdb.threads": 1,
}
# Airflow's task runner answers SIGTERM with on_kill, and goes on with the task.
SCRIPT = textwrap.dedent(
    """
    import json, signal, sys
    from types import SimpleNamespace
    from crawl_ops.operators.fetch import FetchOperator
    folder, segment, properties = sys.argv[1:]
    task = FetchOperator(
        task_id="fetch", crawl_dir=folder, segment=segment, manifest={"list": 0},
        properties=json.loads(properties),
    )
    signal.signal(signal.SIGTERM, lambda *_: task.on_kill())
    try:
        counts = task.execute({"dag_run": SimpleNamespace(run_id="r")})["counts"]
        sys.stderr.write("counts " + json.dumps(counts))
    except Exception as error:
        sys.stderr.write(f"ended by {type(error).__name__}")
        sys.exit(1)
    """
)


class SlowSite:
    """Pages that take a while; `half` is set when half of them were asked for."""

    def __init__(self):
        self.asked, self.answered = Counter(), Counter()
        self.half = threading.Event()
        self.pause = threading.Event()
        site = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                page = self.path != "/robots.txt"
                if page:
                    site.asked[self.path] += 1
                    if len(site.asked) > PAGES // 2:
                        site.half.set()
                    site.pause.wait(0.2)
                body = f"<p>Page {self.path}".encode()
                self.send_response(200 if page else 404)
                self.send_header("Content-Type", "text/html")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)
                site.answered[self.path] += 1

            def log_message(self, *_):
                pass

            def handle_error(self, *_):
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.handle_error = lambda *_: None  # a killed client leaves in the middle
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def url(self, path):
        return f"http://127.0.0.1:{self._server.server_port}{path}"

    def close(self):
        self.pause.set()
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def site():
    site = SlowSite()
    yield site
    site.close()


@pytest.fixture
def crawl(tmp_path, site):
    now = datetime(2026, 3, 1, tzinfo=UTC)
    crawl = CrawlDir.open(tmp_path / "crawl", create=True)
    config = load(None, PROPERTIES)
    inject(crawl, config, [site.url(f"/{n}") for n in range(PAGES)], now)
    segment = generate(crawl, config, now, run_id="r", depth=1).segment
    return crawl, segment


@pytest.fixture
def attempt(crawl):
    """Starts an attempt; what is left of them is ended."""
    begun = []

    def start():
        folder, segment = crawl
        process = subprocess.Popen(
            [sys.executable, "-c", SCRIPT, str(folder.root), segment, json.dumps(PROPERTIES)],
            env={**os.environ, "AIRFLOW__LOGGING__LOGGING_LEVEL": "CRITICAL"},
            stderr=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            text=True,
        )
        begun.append(process)
        return process

    yield start
    for process in begun:
        process.kill()
        process.communicate()


def told(process):
    return process.communicate(timeout=120)[1]


def is_whole(crawl, site):
    folder, segment = crawl
    rows = list(folder.query(load(), f"SELECT url FROM crawl_fetch WHERE segment = '{segment}'"))
    return sorted(row["url"] for row in rows) == sorted(site.url(f"/{n}") for n in range(PAGES))


def test_sigterm_ends_a_fetch_soon_and_the_next_try_asks_for_the_rest(site, crawl, attempt):
    first = attempt()
    assert site.half.wait(60)
    first.send_signal(signal.SIGTERM)
    assert "ended by StoppedError" in told(first)
    before = set(site.asked)
    assert len(before) < PAGES
    second = told(attempt())
    assert '"fetch_success": 12' in second, second
    assert set(site.asked.values()) == {1}
    assert is_whole(crawl, site)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_two_live_attempts_of_a_task_ask_for_each_page_once(site, crawl, attempt, number):
    first = attempt()
    assert site.half.wait(60)
    second = attempt()  # the heartbeat of the first was lost; it lives
    site.pause.wait(1)
    first.send_signal(number)
    told(first)
    assert '"fetch_success": 12' in told(second)
    # What was on the wire when the first one was killed is all that may be asked for again.
    assert sum(site.asked.values()) <= PAGES + (1 if number == signal.SIGKILL else 0)
    assert is_whole(crawl, site)


def test_on_kill_before_there_is_a_fetch_to_stop():
    task = FetchOperator(task_id="fetch", segment="s")
    task.on_kill()
    assert task.stop.wait(5)
