"""What a fetch brings survives: parts, journals, attempts."""

import os
import signal
import subprocess
import sys
import textwrap

import pytest

from crawl_ops.config.load import load
from crawl_ops.errors import StoreError
from crawl_ops.storage.fetch_writer import FetchRecord, FetchWriter, fetched_keys, recover
from crawl_ops.storage.journal import Journal


@pytest.fixture
def segment(crawl):
    segment = crawl.new_segment("20260301120000-000aa")
    segment.publish({"created": "2026-03-01T12:00:00+00:00", "lists": [{"list": 0}]})
    return segment


@pytest.fixture
def record(rows, now):
    def make(number, attempt="a1", status="fetch_success", at=None):
        row = rows([number])[0]
        fetched = {
            **row,
            "list": 0,
            "attempt": attempt,
            "fetch_status": status,
            "protocol_status": "success",
            "fetch_time": at or now,
            "bytes": 4,
            "hops": 0,
        }
        content = {
            **row,
            "attempt": attempt,
            "base_url": row["url"],
            "content": b"page",
            "fetch_time": at or now,
        }
        return FetchRecord(crawl_fetch=[fetched], content=[content])

    return make


def test_a_rolled_part_has_all_rows_and_no_journal(segment, config, record):
    writer = FetchWriter(segment, 0, "a1", config)
    for number in range(5):
        writer.add(record(number), float(number))
    assert fetched_keys(segment, 0) == set()
    writer.roll()
    assert fetched_keys(segment, 0) == set(range(5))
    assert list(segment.journal_folder(0).glob("*.journal")) == []


def test_a_part_rolls_by_size_and_by_time(segment, record):
    small = load(None, {"fetcher.part.bytes": 1024, "fetcher.part.seconds": 30})
    writer = FetchWriter(segment, 0, "a1", small)
    for number in range(20):
        writer.add(record(number), 0.0)
    assert len(segment.part_files("crawl_fetch")) > 2
    writer.tick(29.0)
    before = len(fetched_keys(segment, 0))
    writer.tick(31.0)
    assert len(fetched_keys(segment, 0)) >= before
    writer.roll()
    assert fetched_keys(segment, 0) == set(range(20))


def test_a_killed_writer_loses_nothing(segment, crawl, record):
    script = textwrap.dedent(
        """
        import os, sys
        from datetime import UTC, datetime
        from crawl_ops.config.load import load
        from crawl_ops.storage.crawl_dir import CrawlDir
        from crawl_ops.storage.fetch_writer import FetchRecord, FetchWriter
        crawl = CrawlDir.open(sys.argv[1])
        writer = FetchWriter(crawl.segment(sys.argv[2]), 0, "killed", load())
        now = datetime(2026, 3, 1, tzinfo=UTC)
        for k in range(100):
            row = dict(k=k, slot=1, url=f"http://a.test/{k}", host="a.test", domain="a.test",
                       list=0, attempt="killed", fetch_status="fetch_success",
                       protocol_status="success",
                       fetch_time=now, bytes=1, hops=0, score=1.0, interval_s=1, retries=0)
            writer.add(FetchRecord(crawl_fetch=[row]), 0.0)
        print("written", flush=True)
        sys.stdin.read()
        """
    )
    process = subprocess.Popen(
        [sys.executable, "-c", script, str(crawl.root), segment.name],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert process.stdout.readline() == b"written\n"
    assert recover(segment, 0) == 0, "the journal of a live writer is left alone"
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    assert recover(segment, 0) == 100
    assert recover(segment, 0) == 0
    assert fetched_keys(segment, 0) == set(range(100))


def test_a_torn_last_record_is_left_out(segment, config, record):
    writer = FetchWriter(segment, 0, "a1", config)
    for number in range(3):
        writer.add(record(number), 0.0)
    writer.abandon()
    (journal,) = segment.journal_folder(0).glob("*.journal")
    journal.write_bytes(journal.read_bytes()[:-7])
    assert recover(segment, 0) == 2
    assert fetched_keys(segment, 0) == {0, 1}


def test_a_journal_of_noise_gives_nothing_and_goes(segment):
    folder = segment.journal_folder(0)
    folder.mkdir(parents=True)
    (folder / "a9.0000.journal").write_bytes(b"\xff" * 100)
    assert recover(segment, 0) == 0
    assert list(folder.glob("*.journal")) == []


def test_rows_of_two_attempts_count_once_by_a_fixed_rule(crawl, segment, config, record, now):
    one, two = FetchWriter(segment, 0, "a1", config), FetchWriter(segment, 0, "a2", config)
    one.add(record(1, "a1", "fetch_retry"), 0.0)
    two.add(record(1, "a2"), 0.0)
    one.add(record(2, "a1"), 0.0)
    two.add(record(2, "a2"), 0.0)
    two.add(record(3, "a2"), 0.0)
    one.roll()
    two.roll()
    with crawl.session(config) as session:
        session.bind_part(segment, "crawl_fetch")
        session.bind_part(segment, "content")
        fetched = session.connection.sql("SELECT k, attempt FROM crawl_fetch ORDER BY k").fetchall()
        content = session.connection.sql("SELECT k, attempt FROM content ORDER BY k").fetchall()
    assert fetched == content == [(1, "a2"), (2, "a1"), (3, "a2")]


def test_what_comes_after_a_list_was_finished_is_not_read(segment, config, record):
    writer = FetchWriter(segment, 0, "a1", config)
    writer.add(record(1), 0.0)
    writer.roll()
    assert segment.finish("fetch", 0, {"counts": {}})
    late = FetchWriter(segment, 0, "a2", config)
    late.add(record(1, "a2"), 0.0)
    late.add(record(2, "a2"), 0.0)
    late.roll()
    assert fetched_keys(segment, 0) == {1}
    assert not segment.finish("fetch", 0, {"counts": {"fetch_success": 9}})
    assert segment.done("fetch", 0)["counts"] == {}


@pytest.mark.parametrize("tail", [b"\0" * 4096, b"\0" * 3, b"\xff" * 50])
def test_what_a_power_cut_leaves_behind_a_record_is_its_end(segment, config, record, tail):
    writer = FetchWriter(segment, 0, "a1", config)
    for number in range(3):
        writer.add(record(number), 0.0)
    writer.abandon()
    (journal,) = segment.journal_folder(0).glob("*.journal")
    journal.write_bytes(journal.read_bytes() + tail)
    assert recover(segment, 0) == 3
    assert fetched_keys(segment, 0) == {0, 1, 2}


def test_a_record_of_another_form_ends_the_journal(segment, config, record, caplog):
    folder = segment.journal_folder(0)
    with Journal(folder / "a1.0000.journal") as journal:
        journal.append(record(1))
        journal.append({"crawl_fetch": "no rows"})
        journal.append(record(2))
    assert recover(segment, 0) == 1
    assert "a record cannot be read" in caplog.text


def test_a_file_that_a_finished_list_has_lost_is_named(crawl, segment, config, record):
    writer = FetchWriter(segment, 0, "a1", config)
    writer.add(record(1), 0.0)
    writer.roll()
    segment.finish("fetch", 0, {"counts": {}})
    (file,) = segment.part_files("content")
    crawl.files.remove(file.path)
    again = crawl.segment(segment.name)
    assert fetched_keys(again, 0) == {1}
    with pytest.raises(StoreError, match=r"a1\.0000\.parquet: is missing; .*; docs/recovery\.md"):
        again.part_files("content", [0])


def test_a_garbled_report_of_a_list_is_named(crawl, segment):
    crawl.files.put(f"{segment.folder}/done/fetch-000.json", b"garbage")
    with pytest.raises(StoreError, match=r"fetch-000\.json: is no report"):
        segment.done("fetch", 0)
