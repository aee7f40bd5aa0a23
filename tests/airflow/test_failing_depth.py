"""A depth that fails, and each means to do it again: only what failed is asked for again."""

import json
import os
import subprocess
import sys
import threading
from collections import Counter
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from crawl_ops.config.load import load
from crawl_ops.jobs.mergesegs import mergesegs
from crawl_ops.storage.crawl_dir import CrawlDir

ROOT = Path(__file__).parents[2]
GOOD, BAD = "127.0.0.2", "127.0.0.3"
LINKS = {
    (GOOD, "/"): [(GOOD, "/1"), (GOOD, "/2"), (BAD, "/1"), (BAD, "/2")],
    (GOOD, "/1"): [(GOOD, "/deep")],
    (BAD, "/1"): [(BAD, "/deep")],
}
PAGES = [*((GOOD, path) for path in ("/", "/1", "/2", "/deep")), (BAD, "/1"), (BAD, "/2")]
STATUSES = "SELECT url, status FROM crawldb"

pytestmark = pytest.mark.whole


class Web:
    """Two hosts with links between them; one may be failing. `asked`: the pages asked for."""

    def __init__(self):
        self.failing = False
        self.asked = Counter()
        web = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                host = self.headers["Host"].split(":")[0]
                if self.path == "/robots.txt":
                    self.answer(404, "")
                    return
                web.asked[host, self.path] += 1
                links = LINKS.get((host, self.path), [])
                text = f"Page {host} {self.path} " + " ".join(
                    f'<a href="{web.url(*link)}">{link}</a>' for link in links
                )
                failed = web.failing and host == BAD
                self.answer(500 if failed else 200, f"<p>{text}")

            def answer(self, status, text):
                body = text.encode()
                self.send_response(status)
                self.send_header("Content-Type", "text/html; charset=utf-8")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self._servers = [ThreadingHTTPServer((GOOD, 0), Handler)]
        self.port = self._servers[0].server_port
        self._servers.append(ThreadingHTTPServer((BAD, self.port), Handler))
        for server in self._servers:
            threading.Thread(target=server.serve_forever, daemon=True).start()

    def url(self, host, path):
        return f"http://{host}:{self.port}{path}"

    def newly_asked(self):
        """What was asked for since the last call, as often as it was."""
        asked, self.asked = self.asked, Counter()
        return dict(asked)

    def close(self):
        for server in self._servers:
            server.shutdown()
            server.server_close()


@pytest.fixture
def web():
    web = Web()
    yield web
    web.close()


class Driver:
    """data/drive.py in a process of its own."""

    def __init__(self, folder):
        self.folder = folder
        for name in ("dags", "include"):
            (folder / name).symlink_to(ROOT / name)
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("AIRFLOW", "CRAWL_"))}
        settings = {
            "CRAWL_HOME": str(folder),
            "CRAWL_STORE": str(folder / "store"),
            "CRAWL_MAX_DEPTH": "4",
            "CRAWL_OPS_FSYNC": "0",
            "CRAWL_TIMEZONE": "America/New_York",
            "CRAWL_DAILY_SCHEDULE": "30 1 * * *",
            "PYTHONPATH": str(ROOT),
        }
        self._process = subprocess.Popen(
            [sys.executable, ROOT / "tests" / "airflow" / "data" / "drive.py"],
            env={**kept, **settings},
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def ask(self, do, **what):
        self._process.stdin.write(json.dumps({"do": do, **what}) + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        assert answer, f"{do}: the driver has ended"
        return json.loads(answer)

    def close(self):
        if self._process.poll() is None:
            self._process.stdin.close()
            self._process.wait(60)
        self._process.stdout.close()


@pytest.fixture(scope="module")
def driver(tmp_path_factory):
    driver = Driver(tmp_path_factory.mktemp("driven"))
    yield driver
    driver.close()


class Crawl:
    """A crawl of the two hosts in its own folder."""

    def __init__(self, driver, web, crawl_id, dag="crawl"):
        self.driver, self.web, self.id, self.dag = driver, web, crawl_id, dag

    def conf(self, **more):
        return {
            "seeds": [self.web.url(GOOD, "/")],
            "crawl_id": self.id,
            "depth": 3,
            "agent": "testbot",
            "delay": 0,
            **more,
        }

    def ask(self, do, run_id="r", **what):
        return self.driver.ask(do, dag=self.dag, run_id=f"{self.id}.{run_id}", **what)

    def statuses(self):
        folder = CrawlDir.open(self.driver.folder / "store" / self.id)
        return {row["url"]: row["status"] for row in folder.query(load(), STATUSES)}

    def segments(self):
        return CrawlDir.open(self.driver.folder / "store" / self.id).segments()

    def is_whole(self):
        pages = [*PAGES, (BAD, "/deep")]
        return self.statuses() == {self.web.url(*page): "db_fetched" for page in pages}


AGAIN = {(BAD, "/1"): 1, (BAD, "/2"): 1, (BAD, "/deep"): 1}
"""What every means asks for: what failed, and what nobody could know of without it."""


@pytest.fixture
def failed(driver, web, request):
    """A run whose depth 2 failed in part: one of two hosts answered 500. It has recovered."""
    crawl = Crawl(driver, web, request.node.name.replace("test_", "")[:60])
    web.failing = True
    run = crawl.ask("run", conf=crawl.conf())  # without a logical date
    assert run["state"] == "success", run
    assert web.newly_asked() == dict.fromkeys(PAGES, 1)
    assert crawl.statuses()[web.url(BAD, "/1")] == "db_unfetched"
    web.failing = False
    return crawl


def test_clear_the_group(failed, web):
    run = failed.ask("clear", tasks=["depth_02.generate"])
    assert run["state"] == "success", run
    assert web.newly_asked() == AGAIN
    assert failed.is_whole()
    segments = failed.segments()
    # Once more: nothing failed, nothing is asked, nothing is made.
    assert failed.ask("clear", tasks=["depth_02.generate"])["state"] == "success"
    assert web.newly_asked() == {}
    assert failed.segments() == segments


def test_clear_a_depth_whose_segments_were_merged(failed, web):
    folder = CrawlDir.open(failed.driver.folder / "store" / failed.id)
    config = load(None, {"http.agent.name": "testbot"})
    mergesegs(folder, config, folder.segments(), datetime.now(UTC))  # noqa: TID251
    assert len(folder.segments()) == 1
    run = failed.ask("clear", tasks=["depth_02.generate"])
    assert run["state"] == "success", run
    # What is due is for the next run; nothing is left of the depth, and the end of the run is done.
    assert web.newly_asked() == {}
    assert run["tasks"]["depth_02.partition.fetch[0]"] == "skipped"
    assert run["tasks"]["check"] == run["tasks"]["dedup"] == "success"


def test_clear_the_whole_run_and_say_what_is_redone(failed, web):
    segments = failed.segments()
    assert failed.ask("clear", tasks=["inject"])["state"] == "success"
    assert web.newly_asked() == {}
    assert failed.segments() == segments
    assert failed.ask("clear", tasks=["inject"], conf=failed.conf(redo="failed"))["state"] == (
        "success"
    )
    assert web.newly_asked() == AGAIN
    assert failed.is_whole()


def test_a_redo_of_the_past_run(failed, web):
    redo = Crawl(failed.driver, web, failed.id, dag="crawl_redo")
    conf = {
        "crawl_id": failed.id,
        "run_id": f"{failed.id}.r",
        "depth": 2,
        "agent": "testbot",
        "delay": 0,
    }
    before = sorted(CrawlDir.open(failed.driver.folder / "store" / failed.id).files.walk(""))
    dry = redo.ask("run", "dry", conf=conf)
    assert dry["state"] == "success"
    assert {state for name, state in dry["tasks"].items() if name != "plan"} == {"skipped"}
    told = {row[1]: row[2] for row in redo.ask("xcoms", "dry")["xcoms"] if row[0] == "plan"}
    assert json.loads(told["report"])["counts"]["urls"] == 2
    assert web.newly_asked() == {}
    assert before == sorted(
        CrawlDir.open(failed.driver.folder / "store" / failed.id).files.walk("")
    )
    for number in range(2):  # the second time there is nothing left to ask
        run = redo.ask("run", f"wet{number}", conf={**conf, "dry_run": False})
        assert run["state"] == "success", run
        assert web.newly_asked() == ({(BAD, "/1"): 1, (BAD, "/2"): 1} if number == 0 else {})
    # What the redo led to is due: the next run has it.
    assert failed.ask("run", "next", conf=failed.conf())["state"] == "success"
    assert web.newly_asked() == {(BAD, "/deep"): 1}
    assert failed.is_whole()


def test_a_task_that_failed_is_retried_or_cleared(driver, web):
    crawl = Crawl(driver, web, "cleared")
    web.failing = True
    driver.ask("break", task="depth_02.partition.fetch", times=1)  # a retry is enough
    driver.ask("break", task="depth_02.updatedb", times=2)  # and here not
    run = crawl.ask("run", conf=crawl.conf())
    assert run["state"] == "failed"
    assert run["tasks"]["depth_02.partition.fetch[0]"] == "success"
    assert run["tasks"]["depth_02.updatedb"] == "failed"
    assert run["tasks"]["depth_03.generate"] == "upstream_failed"
    # What was never asked for is no failure; the finish did not begin.
    of_4 = {state for name, state in run["tasks"].items() if name.startswith("depth_04.")}
    assert of_4 == {"skipped"}
    assert run["tasks"]["invertlinks"] == run["tasks"]["dedup"] == "upstream_failed"
    assert web.newly_asked() == {page: 1 for page in PAGES if page != (GOOD, "/deep")}
    run = crawl.ask("clear_failed")
    assert run["state"] == "success", run
    # The depths that were done are as they were, failed pages and all; the next one goes on.
    assert web.newly_asked() == {(GOOD, "/deep"): 1}
    assert len(crawl.segments()) == 3


def test_a_backfill_of_three_days_over_a_change_of_clocks_and_its_reprocessing(driver, web):
    crawl = Crawl(driver, web, "backfilled", dag="crawl_daily")
    days = {"from": "2026-10-31T00:00:00-04:00", "to": "2026-11-02T12:00:00-05:00"}
    web.failing = True
    driver.ask("break", task="depth_02.updatedb", times=2)
    made = crawl.ask("backfill", conf=crawl.conf(), behavior="none", **days)["runs"]
    # On 1 November it is half past one twice in New York; there is one run.
    times = [run["run_id"].partition("__")[2] for run in made]
    assert times == [
        "2026-10-31T05:30:00+00:00",
        "2026-11-01T06:30:00+00:00",
        "2026-11-02T06:30:00+00:00",
    ]
    assert [run["state"] for run in made] == ["failed", "success", "success"]
    assert set(web.newly_asked().values()) == {1}
    web.failing = False
    again = crawl.ask("backfill", conf=crawl.conf(), behavior="failed", **days)["runs"]
    assert [run["state"] for run in again] == ["success"]
    # It goes on where it failed: depth 2 stays as it was, depth 3 is asked for the first time.
    assert web.newly_asked() == {(GOOD, "/deep"): 1}
    again = crawl.ask("backfill", conf=crawl.conf(redo="failed"), behavior="completed", **days)
    assert {run["state"] for run in again["runs"]} == {"success"}
    assert web.newly_asked() == AGAIN
    assert crawl.is_whole()


def test_a_run_that_an_asset_event_starts(driver, web):
    crawl = Crawl(driver, web, "by_asset")
    run = crawl.ask("run", conf=crawl.conf(), type="asset_triggered")  # it has no logical date
    assert run["state"] == "success", run
    assert crawl.is_whole()


def test_a_folder_that_cannot_be_written_fails_the_fetch_and_nothing_is_half_there(driver, web):
    crawl = Crawl(driver, web, "in_the_way")
    driver.ask("break", task="depth_02.partition.fetch", times=9)  # more than there are tries
    assert crawl.ask("run", conf=crawl.conf())["state"] == "failed"
    driver.ask("break", task="depth_02.partition.fetch", times=0)
    web.newly_asked()
    folder = CrawlDir.open(driver.folder / "store" / crawl.id)
    segment = folder.segment(folder.segments()[-1])
    in_the_way = folder.root / "segments" / segment.name / "content"
    in_the_way.write_text("a file where a folder is to be")
    run = crawl.ask("clear_failed")
    assert run["state"] == "failed"
    assert run["tasks"]["depth_02.partition.fetch[0]"] == "failed"
    assert run["tasks"]["depth_02.updatedb"] == "upstream_failed"
    assert segment.done("fetch", 0) is None
    assert segment.part_files("crawl_fetch") == []
    told = driver.ask("told", task="depth_02.partition.fetch")["told"]
    assert str(in_the_way) in told
    in_the_way.unlink()
    assert crawl.ask("clear_failed")["state"] == "success"
    assert crawl.is_whole()
    assert set(web.newly_asked().values()) == {1}


def test_xcoms_are_small_and_hold_no_pages(failed):
    rows = failed.ask("xcoms")["xcoms"]
    assert len(rows) > 20
    for task, key, value in rows:
        assert len(value) < 4096, (task, key)
        assert str(failed.web.port) not in value, (task, key)


def test_maintenance_of_the_crawls_that_there_are(failed):
    run = failed.driver.ask(
        "run", dag="crawl_maintenance", run_id="keep", conf={"crawl_ids": [failed.id, failed.id]}
    )
    assert run["state"] == "success", run
    steps = ("retention", "mergesegs", "vacuum", "readdb", "reconcile")
    assert {f"crawl.{step}[{n}]" for step in steps for n in (0, 1)} < set(run["tasks"])
    found = failed.driver.ask("xcoms", dag="crawl_maintenance", run_id="keep")["xcoms"]
    counted = [json.loads(row[2]) for row in found if row[:2] == ["crawl.readdb", "return_value"]]
    assert [one["counts"]["total"] for one in counted] == [len(PAGES)] * 2
