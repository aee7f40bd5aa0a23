import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from crawl_ops.config.load import load
from crawl_ops.model import ParseStatus
from crawl_ops.parse.page import Page
from crawl_ops.parse.pool import ParserPool

PLUG = """
import os, time
from crawl_ops.model import ParseStatus
from crawl_ops.parse.page import Parsed

class Hostile:
    def __init__(self, config):
        pass

    def parse(self, page):
        print("noise on stdout")
        if page.content == b"hang":
            while True:
                pass
        if page.content == b"die":
            os.kill(os.getpid(), 11)
        if page.content == b"exit":
            os._exit(3)
        if page.content == b"memory":
            bytearray(4 << 30)
        return Parsed(ParseStatus.SUCCESS, text=page.content.decode())
"""


@pytest.fixture
def config(tmp_path):
    (tmp_path / "hostile.py").write_text(PLUG)
    return load(
        overrides={
            "plugin.folders": str(tmp_path),
            "parse.plugins": "x/y=hostile:Hostile",
            "db.signature.class": "TextMD5Signature",
        }
    )


def pages(*contents, content_type="x/y"):
    return [
        Page(f"http://e.test/{n}", content, "http://e.test/", content_type, None, [("A", "b")])
        for n, content in enumerate(contents)
    ]


def test_each_hostile_page_costs_only_itself(config):
    contents = [b"a", b"hang", b"b", b"die", b"c", b"exit", b"d", b"memory", b"e"]
    with ParserPool(config, processes=1, timeout_s=0.7) as pool:
        found = list(pool.parse_all(pages(*contents)))
    assert [answer.text for answer in found] == [b"a", b"", b"b", b"", b"c", b"", b"d", b"", b"e"]
    assert [(answer.parsed.status, answer.parsed.reason) for answer in found[1::2]] == [
        (ParseStatus.FAILED_TIMEOUT, "not parsed in 0.7 s (parser.timeout)"),
        (ParseStatus.FAILED, "the parser process ended by SIGSEGV"),
        (ParseStatus.FAILED, "the parser process ended with exit code 3"),
        (ParseStatus.FAILED, "hostile:Hostile: out of memory"),
    ]
    assert all(len(answer.parsed.signature) == 16 for answer in found)


@pytest.mark.parametrize("processes", [0, 2])
def test_results_come_in_the_order_of_the_pages(config, processes):
    html = [b"<title>%d</title><a href=/%d>x" % (n, n) for n in range(200)]
    with ParserPool(config, processes) as pool:
        for _ in range(2):
            found = list(pool.parse_all(iter(pages(*html, content_type="text/html"))))
            assert [answer.parsed.title for answer in found] == [str(n) for n in range(200)]
            assert found[7].links.urls == ["http://e.test/7"]
            assert len({answer.parsed.signature for answer in found}) == 200


def test_pages_are_read_as_results_are_taken(config):
    taken = []

    def endless():
        while True:
            taken.append(1)
            yield from pages(b"a")

    with ParserPool(config, processes=1) as pool:
        results = pool.parse_all(endless())
        assert next(results).text == b"a"
        results.close()
    assert len(taken) < 500


def test_a_closed_pool_gives_up_a_hanging_page(config):
    pool = ParserPool(config, processes=1, timeout_s=60)
    results = pool.parse_all(iter(pages(*[b"a"] * 32, *[b"hang"] * 65)))
    assert next(results).text == b"a"
    start = time.monotonic()
    results.close()
    pool.close()
    assert time.monotonic() - start < 20


def test_a_pool_without_pages_starts_nothing(config):
    with ParserPool(config, processes=2) as pool:
        assert list(pool.parse_all([])) == []


PARENT = """
import sys
from pathlib import Path
from crawl_ops.config.load import load
from crawl_ops.parse.page import Page
from crawl_ops.parse.pool import ParserPool

config = load(overrides={"plugin.folders": sys.argv[1], "parse.plugins": "x/y=hostile:Hostile"})
pool = ParserPool(config, processes=1)
page = Page("http://e.test/", b"a", "http://e.test/", "x/y", None)
hang = Page("http://e.test/", b"hang", "http://e.test/", "x/y", None)
results = pool.parse_all([page] * 32 + [hang] * 100)
next(results)
(worker,) = pool._all
print(worker._process.pid, flush=True)
next(r for r in results if r.text != b"a")
"""


def test_workers_die_with_their_parent(config, tmp_path):
    parent = subprocess.Popen(
        (sys.executable, "-c", PARENT, str(tmp_path)), stdout=subprocess.PIPE, text=True
    )
    worker = int(parent.stdout.readline())
    os.kill(worker, signal.SIGINT)
    assert Path(f"/proc/{worker}").exists()
    parent.kill()
    parent.communicate()
    deadline = time.monotonic() + 20
    while _runs(worker) and time.monotonic() < deadline:
        os.sched_yield()
    assert not _runs(worker)


def _runs(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False
