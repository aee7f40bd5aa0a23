"""The command line over the real rooms, and a site on loopback."""

import json
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace

import duckdb
import pytest

pytestmark = pytest.mark.whole

PAGES = {
    "/": "<title>home</title><a href='/a'>to a</a> <a href='/b'>to b</a> <a href='/gone'>x</a>",
    "/a": "<title>page a</title>apples <a href='/'>home</a>",
    "/b": "<title>page b</title>pears",
}


@pytest.fixture
def site() -> Iterator[SimpleNamespace]:
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            body = PAGES.get(self.path, "").encode()
            self.send_response(200 if body else 404)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield SimpleNamespace(url=f"http://127.0.0.1:{server.server_port}", asked=asked)
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def command(site, tmp_path) -> list[str]:
    (tmp_path / "seeds.txt").write_text(f"{site.url}/\n")
    return [
        sys.executable,
        *("-m", "crawl_ops", "--json", "--dir", str(tmp_path / "crawl")),
        *("-D", "http.agent.name=testbot", "-D", "http.filter.ipaddress.exclude="),
        *("-D", "db.fsync=false"),
    ]


def ask(command: list[str], *words: str) -> list[dict]:
    done = subprocess.run([*command, *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_a_crawl_and_what_can_be_asked_of_it(site, command, tmp_path) -> None:
    crawl = [*command, "-D", "fetcher.server.delay=0"]
    seeds = ("--seeds", str(tmp_path / "seeds.txt"))
    (outcome,) = ask(crawl, "crawl", *seeds, "--depth", "2")
    assert outcome == {"rounds": 2, "stats": {"db_fetched": 3, "db_gone": 1}, "indexed": 3}
    assert sorted(set(site.asked)) == ["/", "/a", "/b", "/gone", "/robots.txt"]

    (found,) = ask(command, "search", "apples")
    assert [(hit["url"], hit["title"]) for hit in found["hits"]] == [(f"{site.url}/a", "page a")]
    (record,) = ask(command, "readdb", "--url", f"{site.url}/b")
    assert record["status"] == "db_fetched"
    assert {r["url"] for r in ask(command, "readdb", "--dump")} == {
        f"{site.url}{path}" for path in ("/", "/a", "/b", "/gone")
    }
    (page,) = ask(command, "readseg", "--get", f"{site.url}/")
    assert [link["anchor"] for link in page["outlinks"]] == ["to a", "to b", "x"]
    (story,) = ask(command, "explain", f"{site.url}/gone")
    assert story["status"] == "db_gone"
    script = ask(command, "views")[0]["sql"]
    with duckdb.connect() as connection:
        connection.execute(script)
        assert connection.sql("select count(*) from crawldb").fetchall() == [(4,)]
    assert ask(command, "sql", "select count(*) n from crawldb") == [{"n": 4}]

    site.asked.clear()
    (again,) = ask(crawl, "crawl", *seeds, "--depth", "2")
    assert again == {**outcome, "rounds": 0}
    assert site.asked == []


def test_a_stopped_crawl_goes_on_without_asking_twice(site, command, tmp_path) -> None:
    slow = [*command, "-D", "fetcher.server.delay=1"]
    (tmp_path / "seeds.txt").write_text("".join(f"{site.url}{path}\n" for path in PAGES))
    words = ("crawl", "--seeds", str(tmp_path / "seeds.txt"), "--depth", "1")
    first = subprocess.Popen([*slow, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    while not set(site.asked) & set(PAGES):
        assert first.poll() is None
    first.send_signal(signal.SIGTERM)
    out, _ = first.communicate(timeout=60)
    assert first.returncode == 143
    assert json.loads(out)["rounds"] == 0

    (outcome,) = ask([*command, "-D", "fetcher.server.delay=0"], "crawl", "--depth", "1")
    assert outcome["stats"]["db_fetched"] == 3
    asked = [path for path in site.asked if path in PAGES]
    assert sorted(asked) == sorted(PAGES)
