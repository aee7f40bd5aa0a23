"""Versioned tables: commits, conflicts, buckets, time travel."""

import json

import pytest

from crawl_ops.errors import CommitConflictError, NotFoundError, StoreError
from crawl_ops.model import JobReport
from crawl_ops.storage import names, schema
from crawl_ops.storage import session as session_module


@pytest.fixture(autouse=True)
def probe(monkeypatch):
    """A SELECT that writes `incoming` as it is."""
    texts = {"write": "SELECT * FROM incoming WHERE slot BETWEEN $lo AND $hi ORDER BY host, url"}
    for module in (names, session_module):
        monkeypatch.setattr(
            module, "sql_text", lambda name: texts.get(name) or schema.sql_text(name)
        )


def commit(crawl, config, now, given, operation, bits=None, slots=None, publish=True):
    """Write rows as the new content of the buckets they touch."""
    table = crawl.table("crawldb")
    made = table.begin("inject", operation, config, now)
    if bits is not None:
        made._bits = bits
    with crawl.session(config) as session:
        session.bind_rows("incoming", "crawldb", given)
        for bucket in made.buckets(slots):
            entry = session.copy_bucket(
                "write", "crawldb", bucket, made.data_path(bucket), lo=bucket.lo, hi=bucket.hi
            )
            made.replace(bucket, entry)
    return made.publish(JobReport("inject", None, {"n": len(given)})) if publish else made


def urls(crawl, config, manifest):
    with crawl.session(config) as session:
        session.bind("crawldb", "crawldb", [entry.path for entry in manifest.files])
        return sorted(
            row[0] for row in session.connection.sql("SELECT url FROM crawldb").fetchall()
        )


def test_a_new_crawl_has_version_0_without_rows(crawl):
    assert crawl.table("crawldb").current().version == 0
    assert crawl.table("crawldb").current().rows == 0


def test_a_commit_is_the_next_version(crawl, config, now, rows):
    manifest = commit(crawl, config, now, rows(range(10)), "inject:1")
    assert (manifest.version, manifest.rows, manifest.parent) == (1, 10, 0)
    assert crawl.table("crawldb").current() == manifest


def test_older_versions_stay_readable(crawl, config, now, rows):
    first = commit(crawl, config, now, rows(range(3)), "inject:1")
    commit(crawl, config, now, rows(range(5)), "inject:2")
    assert len(urls(crawl, config, crawl.table("crawldb").version(1))) == 3
    assert crawl.table("crawldb").version(1) == first
    with pytest.raises(NotFoundError, match="no version 9"):
        crawl.table("crawldb").version(9)


def test_nothing_is_seen_of_a_commit_that_was_not_published(crawl, config, now, rows):
    commit(crawl, config, now, rows(range(3)), "inject:1")
    commit(crawl, config, now, rows(range(9)), "inject:2", publish=False)
    assert crawl.table("crawldb").current().rows == 3


def test_of_two_commits_on_one_version_the_second_fails_and_leaves_no_files(
    crawl, config, now, rows
):
    one = commit(crawl, config, now, rows(range(3)), "inject:1", publish=False)
    other = commit(crawl, config, now, rows(range(4)), "inject:2", publish=False)
    one.publish(JobReport("inject"))
    with pytest.raises(CommitConflictError, match="committed version 1 first") as failure:
        other.publish(JobReport("inject"))
    assert failure.value.retryable
    assert crawl.table("crawldb").current().rows == 3
    kept = {entry.path for entry in crawl.table("crawldb").current().files}
    assert set(crawl.files.walk("crawldb/base")) == kept


def test_an_operation_that_was_committed_is_known_with_its_report(crawl, config, now, rows):
    commit(crawl, config, now, rows(range(3)), "inject:1")
    commit(crawl, config, now, rows(range(4)), "inject:2")
    report = crawl.table("crawldb").done("inject:1")
    assert report.counts == {"n": 3}
    assert report.details["already_done"]
    assert crawl.table("crawldb").done("inject:3") is None


def test_rows_are_spread_over_buckets_and_untouched_files_are_kept(crawl, config, now, rows):
    first = commit(crawl, config, now, rows(range(200)), "inject:1", bits=2)
    assert len(first.files) == 4
    low = [row for row in rows(range(200)) if row["slot"] < 16384]
    second = commit(crawl, config, now, low, "inject:2", slots=[(0, 10)])
    assert {e.path for e in second.files} & {e.path for e in first.files} == {
        entry.path for entry in first.files[1:]
    }
    assert second.rows == 200


def test_doubling_splits_only_what_is_written_again(crawl, config, now, rows):
    commit(crawl, config, now, rows(range(200)), "inject:1", bits=1)
    low = [row for row in rows(range(200)) if row["slot"] < 32768]
    second = commit(crawl, config, now, low, "inject:2", bits=2, slots=[(0, 10)])
    assert [(entry.lo, entry.hi) for entry in second.files] == [
        (0, 16383),
        (16384, 32767),
        (32768, 65535),
    ]
    assert second.rows == 200


def test_a_bucket_that_is_part_of_a_file_reads_only_its_slots(crawl, config, now, rows):
    commit(crawl, config, now, rows(range(200)), "inject:1", bits=0)
    made = crawl.table("crawldb").begin("inject", "inject:2", config, now)
    made._bits = 3
    with crawl.session(config) as session:
        counts = []
        for bucket in made.buckets([(0, 0)]):
            session.bind_bucket("b", "crawldb", bucket)
            counts.append(session.connection.sql("SELECT count(*) FROM b").fetchall()[0][0])
    assert len(counts) == 8
    assert sum(counts) == 200


def test_files_that_overlap_are_refused(crawl, config, now, rows):
    made = commit(crawl, config, now, rows(range(5)), "inject:1", publish=False)
    made._added.append(made._added[0])
    with pytest.raises(StoreError, match="in another file too"):
        made.publish(JobReport("inject"))


def test_a_foreign_file_among_the_manifests_is_named(crawl):
    crawl.files.put("crawldb/manifests/notes.txt", b"hello")
    with pytest.raises(StoreError, match=r"notes\.txt: foreign file"):
        crawl.table("crawldb").current()


def test_a_manifest_of_a_newer_format_is_named(crawl, config, now, rows):
    manifest = commit(crawl, config, now, rows(range(2)), "inject:1")
    plain = json.loads(manifest.to_json()) | {"format": 99}
    crawl.files.put("crawldb/manifests/00000002.json", json.dumps(plain).encode())
    with pytest.raises(StoreError, match=r"00000002\.json: manifest format 99 is newer"):
        crawl.table("crawldb").current()


@pytest.mark.parametrize("text", [b"", b"{", b"[]", b'{"format": 1}', b'{"format": 1, "files": 3}'])
def test_a_broken_manifest_is_named(crawl, text):
    crawl.files.put("crawldb/manifests/00000001.json", text)
    with pytest.raises(StoreError, match=r"00000001\.json: is no manifest"):
        crawl.table("crawldb").current()


def test_the_configuration_in_force_is_kept_with_a_commit(crawl, config, now, rows):
    manifest = commit(crawl, config, now, rows(range(2)), "inject:1")
    assert manifest.config["db.fetch.interval.default"] == 2_592_000
    assert manifest.columns[0] == "k"
