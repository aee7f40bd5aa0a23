"""fetch killed at any moment: what was fetched is not asked for again, and no row is twice."""

import json
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections import Counter

import pytest

from crawl_ops.storage.files import LocalFiles

SCRIPT = textwrap.dedent(
    """
    import json, sys
    from datetime import UTC, datetime, timedelta
    from crawl_ops.config.load import load
    from crawl_ops.jobs.fetch import fetch
    from crawl_ops.storage.crawl_dir import CrawlDir
    root, segment, conf = sys.argv[1:]
    now = datetime(2026, 3, 1, 12, tzinfo=UTC)
    print(fetch(CrawlDir.open(root), load(None, json.loads(conf)), segment, lambda: now).counts)
    """
)


LATELY_S = 0.3  # what was answered so shortly before a kill need not be written down yet


def answered_before(site, killed):
    """Paths that a process which was killed at a time must have written down."""
    return {one.path for one in site.log if 0 < one.ended < killed - LATELY_S}


def asked_after(site, killed):
    return {one.path for one in site.log if one.started > killed}


@pytest.fixture
def start(round_of):
    """Starts a fetch in a process of its own; ends what is left of them."""
    processes = []

    def begin(segment, **more):
        conf = {
            "http.agent.name": "testbot",
            "http.filter.ipaddress.exclude": "",
            "fetcher.server.delay": 0.0,
            "duckdb.threads": 1,
            "urlfilter.regex.rules": "+.",
            **more,
        }
        process = subprocess.Popen(
            [sys.executable, "-c", SCRIPT, str(round_of.crawl.root), segment, json.dumps(conf)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        processes.append(process)
        return process

    yield begin
    for process in processes:
        process.kill()
        process.communicate()


def counting(site, reached, event):
    """Pages that set an event when so many were asked for."""
    lock = threading.Lock()
    asked = []

    def reply(one):
        with lock:
            asked.append(one.path)
            if len(asked) == reached:
                event.set()
        time.sleep(0.02)  # noqa: TID251
        return site.reply(200, one.path)

    return reply


@pytest.mark.parametrize("part_bytes", [64 << 20, 20_000])
def test_killed_half_way_no_page_is_asked_twice_beyond_those_in_flight(
    site, round_of, start, part_bytes
):
    half = threading.Event()
    reply = counting(site, 100, half)
    urls = [site.put(f"/{n}", reply) for n in range(200)]
    segment = round_of.lists(urls)
    threads = 4
    conf = {"fetcher.part.bytes": part_bytes, "fetcher.threads.per.queue": threads}
    process = start(segment, **conf)
    assert half.wait(60)
    killed = time.monotonic()
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    done = answered_before(site, killed)
    assert len(done) > 20
    assert len(site.paths()) < 200
    report = round_of.fetch(segment, conf)
    assert report.counts == {"fetch_success": 200}
    assert done & asked_after(site, killed) <= {"/robots.txt"}
    rows = round_of.fetched(segment)
    assert set(rows) == set(urls)
    content = {row["url"]: row["content"] for row in round_of.rows(segment, "content")}
    assert content == {url: f"/{n}".encode() for n, url in enumerate(urls)}
    assert len(round_of.rows(segment, "content")) == 200


def test_killed_again_and_again_it_ends_and_is_whole(site, round_of, start):
    urls = [site.slow(f"/{n}", 0.02) for n in range(150)]
    redirects = [site.redirect(f"/r{n}", f"/t{n}") for n in range(20)]
    targets = [site.page(f"/t{n}", f"t{n}") for n in range(20)]
    segment = round_of.lists([*urls[:75], *redirects, *urls[75:]])
    kills, answered = 0, {}
    for reached in (30, 70, 110, 150):
        process = start(segment)
        while process.poll() is None and len(site.paths()) < reached:
            threading.Event().wait(0.005)
        kills += process.poll() is None
        killed = time.monotonic()
        process.kill()
        process.communicate()
        answered[killed] = answered_before(site, killed)
    assert kills >= 3
    round_of.fetch(segment)
    for killed, done in answered.items():
        assert done & asked_after(site, killed) <= {"/robots.txt"}
    rows = round_of.fetched(segment)
    assert set(rows) == {*urls, *redirects, *targets}
    assert all(rows[target]["via"] for target in targets)
    assert list((round_of.crawl.root / "scratch").rglob("*.journal")) == []


def test_killed_while_parts_are_written_the_journal_has_the_rows(site, round_of):
    """Between the files of a part: content is there, crawl_fetch is not."""
    urls = [site.page(f"/{n}") for n in range(10)]
    name = round_of.lists(urls)
    real = LocalFiles.publish
    for part in ("content", "crawl_fetch"):

        def publish(self, written, path, part=part):
            real(self, written, path)
            if f"/{part}/" in path:
                raise KeyboardInterrupt

        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(LocalFiles, "publish", publish)
            with pytest.raises(KeyboardInterrupt):
                round_of.fetch(name)
    assert round_of.fetch(name).counts == {"fetch_success": 10}
    assert len(site.paths()) == 10
    assert len(round_of.rows(name, "content")) == 10
    assert len(round_of.fetched(name)) == 10


def test_a_second_process_waits_and_asks_nothing_twice(site, round_of, start):
    urls = [site.slow(f"/{n}", 0.01) for n in range(60)]
    segment = round_of.lists(urls)
    processes = [start(segment) for _ in range(2)]
    outputs = [process.communicate(timeout=60) for process in processes]
    assert [process.returncode for process in processes] == [0, 0], outputs
    assert all(b"'fetch_success': 60" in out for out, _ in outputs)
    assert Counter(site.paths()) == {f"/{n}": 1 for n in range(60)}


def test_a_second_process_takes_over_when_the_first_is_killed(site, round_of, start):
    half = threading.Event()
    reply = counting(site, 40, half)
    urls = [site.put(f"/{n}", reply) for n in range(80)]
    segment = round_of.lists(urls)
    first = start(segment)
    assert half.wait(60)
    second = start(segment)
    killed = time.monotonic()
    first.kill()
    done = answered_before(site, killed)
    assert len(done) > 10
    out, error = second.communicate(timeout=60)
    assert second.returncode == 0, error
    assert b"'fetch_success': 80" in out
    assert done & asked_after(site, killed) <= {"/robots.txt"}
