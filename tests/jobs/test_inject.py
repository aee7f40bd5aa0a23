"""inject: seeds, their metadata, what is known already (Nutch rules 3; facts: TestInjector)."""

import json
from datetime import timedelta
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from crawl_ops.errors import SeedError
from crawl_ops.jobs import inject as inject_job
from crawl_ops.jobs.inject import inject
from crawl_ops.jobs.injecting import columns
from crawl_ops.jobs.injecting.columns import REFUSED_TOLD
from crawl_ops.jobs.injecting.fields import WARNINGS_MAX
from crawl_ops.jobs.injecting.lines import LINE_BYTES_MAX

STATUSES = [
    "db_unfetched",
    "db_fetched",
    "db_gone",
    "db_redir_temp",
    "db_redir_perm",
    "db_notmodified",
    "db_duplicate",
    "db_orphan",
    "db_parse_failed",
]


def run(given, seeds, conf=None, **options):
    return inject(given.crawl, given.config(**(conf or {})), seeds, given.now, **options)


def test_a_new_seed_is_unfetched_and_due(given):
    report = run(given, ["http://zzz.com/0.html"])
    row = given.row("http://zzz.com/0.html")
    assert (row["status"], row["fetch_time"]) == ("db_unfetched", given.now)
    assert (row["interval_s"], row["retries"], row["score"]) == (2_592_000, 0, 1.0)
    assert report.counts == {"seeds": 1, "injected": 1}


@pytest.mark.parametrize(
    ("rest", "interval", "score", "metadata"),
    [
        ("nutch.score=2.0\tnutch.fetchInterval=171717\tkey=value", 171717, 2.0, {"key": "value"}),
        ("nutch.fetchInterval.fixed=600", 600, 1.0, {"fixedInterval": 600.0}),
        (
            "nutch.fetchInterval.fixed=600\tnutch.fetchInterval=700",
            700,
            1.0,
            {"fixedInterval": 600.0},
        ),
        ("nutch.fetchInterval.fixed=-1", 2_592_000, 1.0, None),
        ("nutch.score=high\tnutch.fetchInterval=soon", 2_592_000, 1.0, None),
        ("nutch.score=nan\tnutch.fetchInterval=1e99", 2_592_000, 1.0, None),
        ("no value\ta=b=c\t=empty", 2_592_000, 1.0, {"": "empty", "a": "b=c"}),
    ],
)
def test_what_stands_behind_a_seed(given, rest, interval, score, metadata):
    run(given, [f"http://zzz.com/0.html\t{rest}"])
    row = given.row("http://zzz.com/0.html")
    assert (row["interval_s"], row["score"]) == (interval, score)
    assert (json.loads(row["metadata"]) if row["metadata"] else None) == metadata


def test_blank_lines_and_comments_are_no_seeds(given):
    report = run(given, ["", "  ", "# http://x.com/", "\t", "http://x.com/"])
    assert report.counts["seeds"] == 1


@pytest.mark.parametrize("status", STATUSES)
def test_a_known_url_keeps_its_status(given, status):
    given.known([{"url": "http://x.com/", "status": status, "score": 3.0}])
    run(given, ["http://x.com/\tnutch.score=9"])
    assert (given.row("http://x.com/")["status"], given.row("http://x.com/")["score"]) == (
        status,
        3.0,
    )


OLD = {
    "url": "http://x.com/",
    "status": "db_fetched",
    "score": 3.0,
    "interval_s": 100,
    "metadata": '{"a": "1", "b": "1"}',
    "signature": b"s" * 16,
}


def test_update_takes_score_and_metadata_of_the_seed(given):
    given.known([OLD])
    run(given, ["http://x.com/\tb=2\tnutch.score=5"], update=True)
    row = given.row("http://x.com/")
    assert (row["status"], row["score"], row["interval_s"]) == ("db_fetched", 5.0, 100)
    assert json.loads(row["metadata"]) == {"a": "1", "b": "2"}
    assert row["signature"] == b"s" * 16


def test_update_takes_values_equal_to_the_defaults_as_not_given(given):
    given.known([OLD])
    run(given, ["http://x.com/\tb=2\tnutch.score=1.0\tnutch.fetchInterval=2592000"], update=True)
    assert (given.row("http://x.com/")["score"], given.row("http://x.com/")["interval_s"]) == (
        3,
        100,
    )


def test_overwrite_forgets_the_history_and_wins_over_update(given):
    given.known([OLD])
    run(given, ["http://x.com/\tb=2"], overwrite=True, update=True)
    row = given.row("http://x.com/")
    assert (row["status"], row["signature"], row["score"]) == ("db_unfetched", None, 1.0)
    assert json.loads(row["metadata"]) == {"b": "2"}


def test_the_last_line_of_a_url_counts(given):
    report = run(given, ["http://x.com/\tnutch.score=2", "http://X.com:80/\tnutch.score=7"])
    assert given.row("http://x.com/")["score"] == 7.0
    assert report.counts == {"seeds": 2, "injected": 1}


def test_a_refused_seed_is_counted_under_its_filter_and_named(given, caplog):
    report = run(
        given, ["http://x.com/a.exe", "http://x.com/"], {"urlfilter.regex.rules": "-\\.exe$\n+."}
    )
    assert report.counts == {"seeds": 2, "rejected.regex": 1, "injected": 1}
    warned = [one.getMessage() for one in caplog.records if one.levelname == "WARNING"]
    assert warned == [
        "inject: seeds, line 1: 'http://x.com/a.exe' is refused by urlfilter.regex: -\\.exe$"
    ]


def test_of_many_refused_seeds_only_the_first_are_named(given, caplog):
    run(given, [f"http://x.com/{n}.exe" for n in range(99)], {"urlfilter.regex.rules": "+html$"})
    warned = [one.getMessage() for one in caplog.records if one.levelname == "WARNING"]
    assert len(warned) == REFUSED_TOLD + 1
    assert "not told any more" in warned[-1]


def test_asked_again_with_the_same_operation_nothing_changes(given):
    first = run(given, ["http://x.com/"], operation="inject:run-1")
    again = run(given, ["http://x.com/", "http://y.com/"], operation="inject:run-1")
    assert again.counts == first.counts
    assert again.details["already_done"]
    assert given.crawl.table("crawldb").current().version == 1


def test_injected_again_the_seeds_are_known(given):
    run(given, [f"http://zzz.com/{n}.html" for n in range(50)])
    report = run(given, [f"http://zzz.com/{n}.html" for n in range(40, 60)])
    assert report.counts == {"seeds": 20, "injected": 10}
    assert len(given.rows()) == 60


def test_seed_files_of_a_folder_are_read_in_order(given, tmp_path):
    folder = tmp_path / "seeds"
    (folder / "deeper").mkdir(parents=True)
    (folder / "b.txt").write_text("http://x.com/\tnutch.score=7\r\n", encoding="utf-8")
    (folder / "a.txt").write_bytes(b"\xef\xbb\xbfhttp://x.com/\tnutch.score=2\nhttp://y.com/\n")
    run(given, folder)
    assert {row["url"]: row["score"] for row in given.rows()} == {
        "http://x.com/": 7.0,
        "http://y.com/": 1.0,
    }


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"http://x.com/\nnot a url\n", r"seeds\.txt, line 2: 'not a url' is no URL"),
        (b"http://x.com/\nhttp://\n", r"seeds\.txt, line 2: 'http://' is no URL"),
        (b"http://x.com/\n\xff\xfe\n", r"seeds\.txt: is not UTF-8 text \(byte 14\)"),
    ],
)
def test_a_bad_seed_file_is_one_clear_line_and_changes_nothing(given, tmp_path, content, message):
    run(given, ["http://before.com/"])
    file = tmp_path / "seeds.txt"
    file.write_bytes(content)
    with pytest.raises(SeedError, match=message):
        run(given, file)
    assert [row["url"] for row in given.rows()] == ["http://before.com/"]
    assert given.crawl.table("crawldb").current().version == 1


def test_a_missing_seed_file_and_an_empty_folder_are_named(given, tmp_path):
    with pytest.raises(SeedError, match=r"nowhere\.txt: cannot be read"):
        run(given, tmp_path / "nowhere.txt")
    (tmp_path / "empty").mkdir()
    with pytest.raises(SeedError, match="empty: no seed files"):
        run(given, tmp_path / "empty")


def test_what_is_no_file_and_no_folder_is_refused_at_once(given):
    with pytest.raises(SeedError, match=r"^/dev/zero: is no regular file and no folder$"):
        run(given, Path("/dev/zero"))


def test_a_line_that_is_too_long_is_named_and_not_read_to_its_end(given, tmp_path, monkeypatch):
    file = tmp_path / "seeds.txt"
    longest = "http://x.com/?" + "a" * (LINE_BYTES_MAX - 14)
    file.write_text(f"http://x.com/\n# {longest[2:]}\n")
    assert run(given, file).counts["seeds"] == 1
    file.write_text(f"http://x.com/\n#{longest}\n")
    with pytest.raises(SeedError, match=r"seeds\.txt, line 2: is longer than 65,536 bytes"):
        run(given, file)
    with pytest.raises(SeedError, match="seeds, line 1: is longer than 65,536 bytes"):
        run(given, [f"{longest}b"])
    with file.open("wb") as stream:
        stream.truncate(1 << 40)  # holes: read as a whole it would be the end of us
    with pytest.raises(SeedError, match=r"seeds\.txt, line 1: is longer"):
        run(given, file)


@pytest.mark.parametrize(
    ("field", "told"),
    [
        ("nutch.score=high", "nutch.score='high' is not a number"),
        ("nutch.score=nan", "nutch.score='nan' is not a number"),
        ("nutch.score=-inf", "nutch.score='-inf' is not a number"),
        ("nutch.fetchInterval=soon", "nutch.fetchInterval='soon' is not seconds from 0"),
        ("nutch.fetchInterval=-5", "nutch.fetchInterval='-5' is not seconds from 0"),
        ("nutch.fetchInterval=1e99", "nutch.fetchInterval='1e99' is not seconds from 0"),
        ("nutch.fetchInterval.fixed=-1", "nutch.fetchInterval.fixed='-1' is not seconds from 0"),
        ("_maxdepth_=0", "_maxdepth_='0' is not a number from 1"),
        ("no value", "'no value' is no name=value"),
    ],
)
def test_a_field_that_is_ignored_is_one_warning_with_file_and_line(
    given, tmp_path, caplog, field, told
):
    file = tmp_path / "seeds.txt"
    file.write_text(f"http://x.com/\nhttp://y.com/\ta=b\t{field}\t\n")
    run(given, file)
    warned = [one.getMessage() for one in caplog.records if one.levelname == "WARNING"]
    assert warned == [f"inject: {file}, line 2: {told}; ignored"]


def test_of_many_ignored_fields_only_the_first_are_told(given, caplog):
    run(given, [f"http://x.com/{n}\tbad" for n in range(WARNINGS_MAX + 9)])
    warned = [one.getMessage() for one in caplog.records if one.levelname == "WARNING"]
    assert len(warned) == WARNINGS_MAX + 1
    assert "not told any more" in warned[-1]


def test_hostile_seeds_are_data(given):
    seeds = ["http://e.test/$(touch /tmp/pwn)", "http://e.test/a'); DROP TABLE crawldb;--"]
    run(given, seeds)
    assert len(given.rows()) == 2


def test_many_buckets_give_what_one_gives(given, another_crawl):
    seeds = [f"http://h{n % 50}.example{n % 9}.com/{n}" for n in range(2000)]
    other = another_crawl("other")
    run(given, seeds)
    inject(other.crawl, other.config(**{"db.bucket.rows": 1000}), seeds, other.now)
    assert len(other.crawl.table("crawldb").current().files) > 1
    by_url = {row["url"]: row for row in given.rows()}
    assert {row["url"]: row for row in other.rows()} == by_url


def test_times_are_cut_to_milliseconds(given):
    given.now += timedelta(microseconds=1999)
    run(given, ["http://x.com/"])
    assert given.row("http://x.com/")["fetch_time"].microsecond == 1000


def test_seeds_told_all_at_once_and_sorted_some_hosts_at_a_time_are_the_same(
    given, another_crawl, monkeypatch
):
    """Plain ones, those to be normalized, refused ones, doubles and known ones, in any order."""
    seeds = [f"http://h{n % 17}.d{n % 5}.test/{n}\tnutch.score={n % 7}" for n in range(300)]
    seeds += [f"HTTP://h{n % 17}.d{n % 5}.test:80/a/../{n}" for n in range(200, 400)]
    seeds += ["http://h1.d1.test/x.zip", "", "# nothing", "http://h1.d1.test/a/a/a/", *seeds[:9]]
    reports, rows = [], []
    for many, sorted_rows in ((10**9, 10**9), (1, 23)):
        crawl = another_crawl(f"at-once-{many}")
        monkeypatch.setattr(columns, "MANY", many)
        monkeypatch.setattr(inject_job, "SORTED_ROWS", sorted_rows)
        inject(crawl.crawl, crawl.config(), seeds[50:90], crawl.now)
        report = inject(crawl.crawl, crawl.config(), seeds, crawl.now, update=True)
        reports.append(report.counts)
        stored = crawl.crawl.table("crawldb").current().files[0]
        assert stored.rows == len(crawl.rows())
        table = pq.read_table(crawl.crawl.files.location(stored.path))
        assert table.column("url").to_pylist() == [
            row["url"] for row in sorted(crawl.rows(), key=lambda row: (row["host"], row["url"]))
        ]
        rows.append({row["url"]: row for row in crawl.rows()})
        for row in rows[-1].values():
            row.pop("k"), row.pop("slot")
    assert reports[0] == reports[1]
    assert reports[0]["rejected.regex"] == 2
    assert rows[0] == rows[1]
