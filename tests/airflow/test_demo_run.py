"""The real DAG over the demo site: from the command of `make crawl` to the last page and XCom."""

import importlib.util
import os
import re
import signal
import sqlite3
import subprocess
import sys
from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import pytest

from crawl_ops.config.load import load
from crawl_ops.index.search import indexed_ids, search
from crawl_ops.storage.crawl_dir import CrawlDir

ROOT = Path(__file__).parents[2]
STATUSES = "SELECT url, status FROM crawldb"

pytestmark = pytest.mark.whole


def demo_site_class():
    path = ROOT / "include" / "demo_site" / "serve.py"
    spec = importlib.util.spec_from_file_location("demo_site_serve", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module.DemoSite


def project_in(folder):
    """A project folder of its own: the same dags/ and include/, another Airflow, other crawls."""
    for name in ("dags", "include"):
        (folder / name).symlink_to(ROOT / name)
    return folder


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    return project_in(tmp_path_factory.mktemp("project"))


def start(project, site):
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("AIRFLOW", "CRAWL_"))}
    seeds = project / "seeds.txt"
    seeds.write_text("".join(f"{seed}\n" for seed in site.seeds))
    depth = str(site.expected()["depth"])
    return subprocess.Popen(
        [sys.executable, "-m", "crawl_ops.operators.run_dag", "--seeds", seeds, "--depth", depth],
        env={**environment, "CRAWL_HOME": str(project)},
        cwd=project,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finish(process):
    stdout, stderr = process.communicate(timeout=240)
    return SimpleNamespace(returncode=process.returncode, stdout=stdout, stderr=stderr)


@pytest.fixture(scope="module")
def runs(project):
    """Two runs, one after the other, and what the site was asked in each."""
    with demo_site_class()(port=0) as site:
        expected = site.expected()
        first = finish(start(project, site))
        asked = [request.url for request in site.requests]
        second = finish(start(project, site))
        again = [request.url for request in site.requests][len(asked) :]
    return SimpleNamespace(
        first=first, second=second, asked=asked, again=again, expected=expected, site=site
    )


@pytest.fixture(scope="module")
def crawl(project, runs):
    return CrawlDir.open(project / "crawl")


def query(crawl, sql):
    return list(crawl.query(load(), sql))


def test_the_runs_succeed_and_show_what_happened(runs):
    assert runs.first.returncode == 0, runs.first.stderr
    assert runs.second.returncode == 0, runs.second.stderr
    for task in ("inject", "depth_01.fetch[0]", "depth_05.updatedb", "index", "dedup"):
        assert f"s  {task} " in runs.first.stderr
    assert ": success" in runs.first.stderr


def test_every_page_comes_to_what_was_expected(runs, crawl):
    pages = runs.expected["pages"]
    known = {row["url"]: row["status"] for row in query(crawl, STATUSES)}
    wanted = {url: page["status"] for url, page in pages.items() if page["status"]}
    # The second run is one round deeper: it fetched what the first had found last.
    deeper = {url for url, page in pages.items() if page["status"] and page["round"] is None}
    for url in deeper:
        assert known.pop(url) == "db_fetched"
        assert wanted.pop(url) == "db_unfetched"
    assert known == wanted


def test_every_page_that_was_not_fetched_is_told_with_its_reason(runs):
    told = runs.first.stdout.partition("Not fetched, and why")[2].partition("Search for")[0]
    lines = {line.split()[1]: line for line in told.splitlines() if line.startswith("  db_")}
    pages = runs.expected["pages"]
    wanted = {
        url
        for url, page in pages.items()
        if page["status"] not in (None, "db_fetched", "db_notmodified")
    }
    assert set(lines) == wanted
    for url in wanted:
        assert len(lines[url].split()) > 2, lines[url]
    refused = {line.split()[1] for line in told.splitlines() if line.startswith("  refused")}
    assert refused == {url for url, page in pages.items() if page.get("why") == "regex"}
    unfetched = [line for line in lines.values() if "db_unfetched" in line]
    assert any("not selected yet: found by" in line for line in unfetched)


def test_rounds_and_statuses_are_told(runs, crawl):
    depths = [crawl.segment(name).info()["depth"] for name in crawl.segments()]
    assert depths == [1, 2, 3, 4, 5, 1]
    told = runs.first.stdout.partition("Asked for in this run")[2].partition("In the crawldb")[0]
    urls = Counter()
    for depth, count in re.findall(r"(?m)^ +(\d) +\w+ +(\d+) ", told):
        urls[int(depth)] += int(count)
    assert {d: urls[d] for d in urls} == {r["round"]: r["fetched"] for r in runs.expected["rounds"]}


def test_the_index_holds_what_was_expected(runs, crawl):
    pages = runs.expected["pages"]
    wanted = {url for url, page in pages.items() if page["indexed"]}
    deeper = {url for url, page in pages.items() if page["status"] and page["round"] is None}
    assert set(indexed_ids(crawl.index_location)) - deeper == wanted
    for one in runs.expected["searches"]:
        hits = search(crawl.index_location, one["query"], 1).hits
        assert [hit.url for hit in hits] == [one["url"]], one["query"]
    assert "Search for 'lighthouse'" in runs.first.stdout


def test_no_page_is_asked_twice(runs):
    asked = Counter(url for url in runs.asked if not url.endswith("/robots.txt"))
    twice = [url for url, count in asked.items() if count > 1]
    pages = runs.expected["pages"]
    # A page that another one redirects to is asked for by each that leads there, and one that is
    # asked to be tried again in a second (503, Retry-After) is.
    targets = {page.get("target") for page in pages.values()}
    assert set(twice) <= targets | {url for url, page in pages.items() if page.get("why") == "503"}


def test_a_second_run_asks_for_nothing_that_is_not_due(runs):
    pages = {url for url in runs.again if not url.endswith("/robots.txt")}
    assert pages == {
        url
        for url, page in runs.expected["pages"].items()
        if page["status"] and page["round"] is None
    }


def test_xcoms_are_small_and_have_no_urls(project, runs):
    with sqlite3.connect(project / ".airflow" / "crawl" / "airflow.db") as database:
        rows = database.execute("SELECT task_id, key, value FROM xcom").fetchall()
    database.close()
    assert len(rows) > 20
    for task_id, key, value in rows:
        text = value if isinstance(value, str) else bytes(value).decode()
        assert len(text) < 4096, (task_id, key)
        assert "http://" not in text, (task_id, key, text)


def test_a_run_that_was_killed_goes_on_and_comes_to_the_same(tmp_path):
    project = project_in(tmp_path)
    with demo_site_class()(port=0) as site:
        killed = start(project, site)
        for line in killed.stderr:
            # Half way through the fetch of the library's host: the page there that is slow.
            if "depth_02.fetch" in line and any("/microfilm" in r.url for r in site.requests):
                killed.kill()
                break
        assert finish(killed).returncode == -signal.SIGKILL
        before = {request.url for request in site.requests}
        resumed = finish(start(project, site))
        expected = site.expected()["pages"]
        requests = Counter(request.url for request in site.requests)
    assert resumed.returncode == 0, resumed.stderr
    assert "going on with DAG crawl" in resumed.stderr
    known = {row["url"]: row["status"] for row in query(CrawlDir.open(project / "crawl"), STATUSES)}
    assert known == {url: page["status"] for url, page in expected.items() if page["status"]}
    # The depth before the kill is not asked again, whatever happened to the rest.
    first_round = {url for url, page in expected.items() if page["round"] == 1}
    assert first_round <= before
    assert {requests[url] for url in first_round} == {1}
