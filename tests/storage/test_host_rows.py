"""What a fetch asks of crawldb and hostdb without the engine: it is what the engine answers."""

import subprocess
import sys
from datetime import timedelta

import pyarrow.parquet as pq
import pytest

from crawl_ops.errors import StoreError
from crawl_ops.model import JobReport
from crawl_ops.storage import not_due
from crawl_ops.storage.host_rows import HostRows
from crawl_ops.storage.manifest import FileEntry
from crawl_ops.storage.not_due import NotDue
from crawl_ops.storage.saved_robots import saved_robots
from crawl_ops.storage.schema import table_of


@pytest.fixture
def put(crawl, config, now):
    """Adds a file of rows to a table, with a version of its own."""

    def file(table, kind, rows, group_rows=None):
        commit = crawl.table(table).begin("test", f"test:{len(rows)}:{kind}", config, now)
        path = commit.data_path(commit.buckets()[0], kind)
        target = crawl.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        rows = sorted(rows, key=lambda row: row["host"])
        pq.write_table(table_of(table, rows), target, row_group_size=group_rows)
        commit.add(FileEntry(0, 65535, path, len(rows), 1, kind))
        commit.publish(JobReport("test"))

    return file


@pytest.fixture
def known(put, rows, now):
    """A crawldb in five files; what is due there has changed twice."""
    soon = now + timedelta(hours=1)
    put("crawldb", "base", rows(range(40)), group_rows=8)
    put("crawldb", "new", rows(range(40, 60), fetch_time=soon))
    put("crawldb", "changed", rows(range(0, 60, 2), fetch_time=soon))
    put("crawldb", "changed", rows(range(0, 60, 3), fetch_time=now))
    put("crawldb", "changed", rows(range(900, 907), fetch_time=soon))


@pytest.mark.parametrize("most", [100_000, 5, 1])
def test_what_is_not_due_is_what_the_engine_says(
    crawl, config, known, rows, now, monkeypatch, most
):
    monkeypatch.setattr(not_due, "KEYS_OF_HOST", most)
    asked = rows(range(70))
    with crawl.session(config) as session:
        session.bind_table("crawldb", crawl.table("crawldb").current())
        found = session.connection.execute(
            "SELECT k FROM crawldb WHERE fetch_time > $now", {"now": now}
        ).fetchall()
    lookup = NotDue(crawl, config)
    mine = {r["k"] for r in asked if lookup.has(r["url"], r["k"], r["host"], r["slot"], now)}
    lookup.close()
    assert mine == {k for (k,) in found}
    assert len(mine) == 27


def test_row_groups_without_the_host_are_not_read(crawl, known):
    stored = HostRows(crawl.files, "crawldb", ["h3.test"]).stored(
        crawl.table("crawldb").current().bucket(), ["k"]
    )
    assert sorted(k for b in stored for k in b.column("k").to_pylist()) == list(range(3, 60, 7))
    nobody = HostRows(crawl.files, "crawldb", ["a.test", "h3", "z.test"])
    assert not list(nobody.stored(crawl.table("crawldb").current().bucket(), ["k"]))


def _host(number, now, **changes):
    counts = (
        "unfetched fetched notmodified redir_temp redir_perm gone duplicate orphan parse_failed"
        " failing failed_fetches"
    )
    return {
        "host": f"h{number}.test",
        "domain": f"h{number}.test",
        "slot": number,
        **dict.fromkeys(counts.split(), 0),
        "robots_origin": f"http://h{number}.test",
        "robots_content": b"Disallow: /%d" % number if number % 3 else None,
        "robots_time": now,
        **changes,
    }


def test_saved_robots_are_what_the_engine_says(crawl, config, put, now):
    put("hostdb", "base", [_host(n, now) for n in range(20)], group_rows=4)
    put("hostdb", "new", [_host(n, now) for n in range(20, 26)])
    later = now + timedelta(hours=1)
    put("hostdb", "changed", [_host(n, later) for n in range(0, 30, 2)])
    gone = [_host(n, later, robots_content=None) for n in range(0, 26, 5)]
    put("hostdb", "changed", gone)
    hosts = {f"h{n}.test" for n in range(3, 40)}
    with crawl.session(config) as session:
        session.bind_table("hostdb", crawl.table("hostdb").current())
        found = session.connection.execute(
            "SELECT robots_origin, robots_content, robots_time FROM hostdb"
            " WHERE robots_content IS NOT NULL AND list_contains($hosts, host)",
            {"hosts": sorted(hosts)},
        ).fetchall()
    mine = [tuple(saved) for saved in saved_robots(crawl, hosts)]
    assert sorted(mine) == sorted(found)
    assert len(mine) == 11


def test_no_hostdb_no_robots(crawl):
    assert not list(saved_robots(crawl, {"a.test"}))


@pytest.mark.parametrize(
    ("data", "said"), [(None, "this data file is missing"), (b"PAR1", "this data file is broken")]
)
def test_a_file_that_cannot_be_read_is_named(crawl, config, put, rows, now, data, said):
    put("crawldb", "base", rows(range(3)))
    (path,) = (crawl.root / "crawldb").rglob("*.parquet")
    path.unlink()
    if data is not None:
        path.write_bytes(data)
    with pytest.raises(StoreError, match=f"{path.name}: {said}"):
        NotDue(crawl, config).has("http://h1.test/1", 1, "h1.test", 977, now)


def test_a_fetch_does_not_load_the_engine():
    names = "crawl_ops.jobs.fetch, crawl_ops.jobs.parse, crawl_ops.storage.schema"
    told = (
        f"import sys, {names}; crawl_ops.storage.schema.schemas(); print('duckdb' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
