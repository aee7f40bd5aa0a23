"""updatedb killed, run twice at once, and fed in any order."""

import contextlib
import itertools
import random
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta
from subprocess import PIPE

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import given as for_all
from hypothesis import strategies as st

from crawl_ops.errors import CommitConflictError

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
URLS = [f"https://site{number}.test/" for number in range(40)]
SEGMENT = "20260301000000"


def furnish(crawl):
    """A crawl of eight buckets, with a segment that touches them all."""
    crawl.known([{"url": url} for url in URLS[:30]], bits=3)
    crawl.segment(
        SEGMENT,
        fetched=[crawl.fetched(url) for url in URLS[:20]],
        links=[crawl.link(a, b) for a, b in itertools.product(URLS[:20], URLS[20:])],
    )
    return crawl


UPDATEDB = f"""
import sys
from datetime import datetime
from crawl_ops.config.load import load
from crawl_ops.jobs.updatedb import updatedb
from crawl_ops.storage.crawl_dir import CrawlDir
crawl, config = CrawlDir.open(sys.argv[1]), load(None, {{"duckdb.threads": 1}})
print("ready", flush=True)
sys.stdin.readline()
updatedb(crawl, config, ["{SEGMENT}"], datetime.fromisoformat("{NOW.isoformat()}"))
"""


@contextlib.contextmanager
def another_process(crawl):
    """A process that runs updatedb when it is told to."""
    command = [sys.executable, "-c", UPDATEDB, str(crawl.crawl.root)]
    with subprocess.Popen(command, stdin=PIPE, stdout=PIPE, text=True) as process:
        try:
            assert process.stdout.readline() == "ready\n"
            yield process
        finally:
            process.kill()


def go(process):
    process.stdin.write("go\n")
    process.stdin.flush()


def test_two_at_once_fold_a_segment_once(given, another_crawl):
    furnish(given)
    with another_process(given) as one, another_process(given) as two:
        go(one)
        go(two)
        assert [one.wait(60), two.wait(60)] == [0, 0]
    assert given.crawl.table("crawldb").versions() == [1, 2]
    assert given.crawl.table("hostdb").versions() == [1]
    alone = furnish(another_crawl("alone"))
    alone.update()
    assert given.rows() == alone.rows()
    assert given.rows("hostdb") == alone.rows("hostdb")


def test_a_commit_that_was_overtaken_is_a_conflict(given, monkeypatch):
    furnish(given)
    table = type(given.crawl.table("crawldb"))
    begin = table.begin

    def overtaken(self, job, operation, config, now):
        commit = begin(self, job, operation, config, now)
        self.files.create(self._path(commit.version), self.current().to_json())
        return commit

    monkeypatch.setattr(table, "begin", overtaken)
    with pytest.raises(CommitConflictError):
        given.update()
    monkeypatch.undo()
    (given.crawl.root / "crawldb/manifests/00000002.json").unlink()
    files = {entry.path for entry in given.crawl.table("crawldb").current().files}
    assert set(given.crawl.files.walk("crawldb/base")) == files


def test_killed_at_any_moment_it_leaves_a_readable_version(given, another_crawl):
    whole = furnish(another_crawl("whole"))
    before = whole.rows()
    begun = time.monotonic()
    whole.update()
    usual = time.monotonic() - begun
    dice = random.Random(3)
    furnish(given)
    for _ in range(8):
        with another_process(given) as process:
            go(process)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(usual * 1.2 * dice.random())
            process.kill()
        assert given.rows() in (before, whole.rows())
        assert given.rows("hostdb") in ([], whole.rows("hostdb"))
    given.update()
    assert given.rows() == whole.rows()
    assert given.rows("hostdb") == whole.rows("hostdb")
    assert given.crawl.table("crawldb").versions() == [1, 2]


EIGHTHS = st.integers(0, 64).map(lambda number: number / 8)
LINKS = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 9), EIGHTHS), max_size=12)
STATUSES = st.sampled_from(["fetch_success", "fetch_gone", "fetch_retry", "fetch_redir_temp"])


@settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck))
@for_all(
    rounds=st.lists(LINKS, min_size=3, max_size=3),
    statuses=st.lists(STATUSES, min_size=6, max_size=6),
    order=st.permutations([0, 1, 2]),
)
def test_the_order_of_segments_makes_no_difference(crawls, rounds, statuses, order):
    """Each URL is fetched in one segment; links may be in all."""
    results = []
    for sequence in ([0, 1, 2], order):
        crawl = crawls()
        crawl.known([{"url": url} for url in URLS[:6]])
        for number, links in enumerate(rounds):
            crawl.segment(
                f"2026030100000{number}",
                fetched=[crawl.fetched(URLS[n], statuses[n]) for n in (2 * number, 2 * number + 1)],
                links=[crawl.link(URLS[a], URLS[b], score=s) for a, b, s in links],
            )
        for number in sequence:
            crawl.update(f"2026030100000{number}")
        results.append((crawl.rows(), crawl.rows("hostdb")))
    assert results[0] == results[1]


@settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck))
@for_all(
    statuses=st.lists(STATUSES, min_size=4, max_size=4),
    links=LINKS,
    doubled=st.sets(st.integers(0, 3)),
)
def test_what_a_second_attempt_brings_again_counts_once(crawls, statuses, links, doubled):
    results = []
    for attempts in (("a",), ("a", "b")):
        crawl = crawls()
        crawl.known([{"url": url} for url in URLS[:4]])
        fetched, out, parsed = [], [], []
        for attempt in attempts:
            mine = set(range(4)) if attempt == "a" else doubled
            later = timedelta(minutes=attempt == "b")
            fetched += [
                crawl.fetched(URLS[n], statuses[n], attempt=attempt, fetch_time=NOW + later)
                for n in mine
            ]
            parsed += [crawl.parsed(URLS[n], bytes(16), attempt=attempt) for n in mine]
            out += [
                crawl.link(URLS[a], URLS[b], score=s, attempt=attempt)
                for a, b, s in links
                if a in mine
            ]
        crawl.segment(SEGMENT, fetched=fetched, links=out, parsed=parsed)
        crawl.update()
        results.append(crawl.rows())
    assert results[0] == results[1]
