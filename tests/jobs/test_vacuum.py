"""What vacuum removes, and what it must not."""

import os
from datetime import UTC, datetime, timedelta

from crawl_ops.jobs.vacuum import vacuum

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
SEED = "https://a.test/"


def aged(path, **ago):
    """Make a file or folder look last written so long before now."""
    time = (NOW - timedelta(**ago)).timestamp()
    os.utime(path, (time, time))
    return path


def made(given, name, content=b"x"):
    path = given.crawl.root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def history(given, rounds):
    """So many versions of the crawldb; every file is three hours old."""
    given.known([{"url": SEED}])
    for number in range(rounds - 1):
        given.segment(f"2026030100000{number}", fetched=[given.fetched(SEED)])
        given.update()
    for path in (given.crawl.root / "crawldb").rglob("*.parquet"):
        aged(path, hours=3)


def run(given, now=NOW, **conf):
    return vacuum(given.crawl, given.config(**conf), now).counts


def test_old_versions_and_their_data_go(given):
    history(given, 5)
    table = given.crawl.table("crawldb")
    before = given.rows()
    counts = run(given, **{"db.versions.kept": 2, "db.versions.kept.hours": 0})
    assert table.versions() == [4, 5]
    assert (counts["versions"], counts["data_files"]) == (3 + 2, 3)  # two of the hostdb
    assert given.rows() == before
    assert len(list((given.crawl.root / "crawldb").rglob("*.parquet"))) == 2
    assert run(given, **{"db.versions.kept": 2, "db.versions.kept.hours": 0}) == {}


def test_young_versions_stay(given):
    history(given, 4)
    assert run(given, **{"db.versions.kept": 1}) == {}
    counts = run(given, NOW + timedelta(hours=25), **{"db.versions.kept": 1})
    assert given.crawl.table("crawldb").versions() == [4]
    assert counts["versions"] == 3 + 2


def test_a_file_that_a_running_commit_may_name_stays(given):
    history(given, 1)
    young = aged(made(given, "crawldb/base/0000-ffff/v00000002-a.parquet"), minutes=59)
    old = aged(made(given, "crawldb/base/0000-ffff/v00000002-b.parquet"), minutes=61)
    counts = run(given)
    assert counts == {"data_files": 1, "bytes": 1}
    assert (young.exists(), old.exists()) == (True, False)
    assert len(given.rows()) == 1


def test_leftovers_of_killed_jobs_go_after_a_day(given):
    given.known([{"url": SEED}])
    old = [
        aged(made(given, "scratch/aside/1.parquet"), hours=25),
        aged(made(given, "scratch/spill/x/duckdb_temp"), hours=25),
    ]
    young = aged(made(given, "scratch/aside/2.parquet"), hours=23)
    assert run(given) == {"scratch_files": 2}
    assert [path.exists() for path in (*old, young)] == [False, False, True]


def test_a_segment_that_was_never_born_goes_after_a_day(given):
    given.known([{"url": SEED}])
    given.segment(fetched=[given.fetched(SEED)])
    unborn = [given.crawl.root / f"segments/2026022{n}000000" for n in range(2)]
    for folder, hours in zip(unborn, (25, 23), strict=True):
        file = made(given, f"segments/{folder.name}/crawl_generate/list-000/a.parquet")
        for path in (file, file.parent, file.parents[1], folder):
            aged(path, hours=hours)
    assert run(given) == {"segments": 1}
    assert [folder.exists() for folder in unborn] == [False, True]
    assert given.update().counts == {"db_fetched": 1}


def test_only_journals_that_nobody_needs_go(given):
    given.known([{"url": SEED}])
    given.segment("20260301000000", fetched=[given.fetched(SEED)], lists=2, finished=False)
    given.crawl.segment("20260301000000").finish("fetch", 0, {})
    finished = made(given, "scratch/fetch/20260301000000/list-000/a.0000.journal")
    open_list = aged(made(given, "scratch/fetch/20260301000000/list-001/a.0000.journal"), days=9)
    forgotten = aged(made(given, "scratch/fetch/20250301000000/list-000/a.0000.journal"), days=9)
    assert run(given) == {"journals": 2}
    assert [p.exists() for p in (finished, open_list, forgotten)] == [False, True, False]
