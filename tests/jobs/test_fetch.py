"""fetch: every URL becomes a row with a status and a reason, and nobody is asked too much."""

import errno
import json
import os
import shutil
import threading
import tracemalloc
from datetime import timedelta

import pyarrow.parquet as pq
import pytest

from crawl_ops.errors import ConfigError, NotFoundError, StoppedError, StoreError
from crawl_ops.jobs.fetching.schedule import Schedule
from crawl_ops.protocol.http import HttpProtocol
from crawl_ops.storage.fetch_list import FetchList
from crawl_ops.storage.files import LocalFiles


@pytest.mark.parametrize(
    ("code", "protocol", "fetched", "reason"),
    [
        (200, "success", "fetch_success", None),
        (204, "exception", "fetch_retry", "http 204"),
        (300, "moved", "fetch_redir_perm", None),
        (301, "moved", "fetch_redir_perm", None),
        (302, "temp_moved", "fetch_redir_temp", None),
        (303, "temp_moved", "fetch_redir_temp", None),
        (307, "temp_moved", "fetch_redir_temp", None),
        (308, "moved", "fetch_redir_perm", None),
        (304, "exception", "fetch_retry", "http 304 that was not asked for"),
        (400, "gone", "fetch_gone", "http 400"),
        (401, "access_denied", "fetch_gone", "http 401"),
        (403, "exception", "fetch_retry", "http 403"),
        (404, "notfound", "fetch_gone", "http 404"),
        (410, "gone", "fetch_gone", "http 410"),
        (429, "exception", "fetch_retry", "http 429"),
        (500, "exception", "fetch_retry", "http 500"),
        (503, "exception", "fetch_retry", "http 503"),
    ],
)
def test_a_status_becomes_a_row(site, round_of, code, protocol, fetched, reason):
    location = {"location": "/b"} if 300 <= code < 400 else {}
    url = site.page("/a", "body", status=code, **location)
    segment = round_of.lists([url])
    report = round_of.fetch(segment, {"http.redirect.max": 0})
    row = round_of.fetched(segment)[url]
    assert (row["protocol_status"], row["fetch_status"]) == (protocol, fetched)
    assert row["http_status"] == code
    if reason is not None:
        assert row["reason"] == reason
    assert report.counts == {fetched: 1}
    content = round_of.rows(segment, "content")
    assert [one["content"] for one in content] == ([b"body"] if code == 200 else [])


def test_a_page_is_kept_as_it_came(site, round_of):
    url = site.page("/a", b"\x00\xffpage", content_type="text/html; charset=utf-8", etag='"x"')
    segment = round_of.lists([{"url": url, "score": 2.5, "depth": 2, "metadata": '{"a": "b"}'}])
    round_of.fetch(segment)
    (content,) = round_of.rows(segment, "content")
    assert content["content"] == b"\x00\xffpage"
    assert (content["base_url"], content["http_status"]) == (url, 200)
    assert (content["content_type"], content["charset_hint"]) == ("text/html", "utf-8")
    assert (content["score"], content["depth"], content["metadata"]) == (2.5, 2, '{"a": "b"}')
    assert ["etag", '"x"'] in json.loads(content["headers"])
    row = round_of.fetched(segment)[url]
    assert (row["bytes"], row["etag"], row["content_type"]) == (6, '"x"', "text/html")
    assert row["response_ms"] >= 0
    assert row["hops"] == 0


def test_what_is_not_wanted_is_not_kept(site, round_of):
    url = site.page("/a")
    segment = round_of.lists([url])
    conf = {
        "fetcher.store.content": False,
        "http.store.responsetime": False,
    }
    round_of.fetch(segment, conf)
    assert round_of.rows(segment, "content") == []
    row = round_of.fetched(segment)[url]
    assert (row["fetch_status"], row["response_ms"]) == ("fetch_success", None)


def test_headers_are_kept_only_if_wanted(site, round_of):
    segment = round_of.lists([site.page("/a")])
    round_of.fetch(segment, {"store.http.headers": False})
    assert round_of.rows(segment, "content")[0]["headers"] == "[]"


@pytest.mark.parametrize(("wanted", "address"), [(True, "127.0.0.1"), (False, None)])
def test_the_address_is_kept_only_if_wanted(site, round_of, wanted, address):
    url = site.page("/a")
    segment = round_of.lists([url])
    round_of.fetch(segment, {"store.ip.address": wanted})
    assert round_of.fetched(segment)[url]["ip_address"] == address


def test_an_empty_page_is_a_success(site, round_of):
    segment = round_of.lists([site.page("/a", "")])
    round_of.fetch(segment)
    assert [row["content"] for row in round_of.rows(segment, "content")] == [b""]


def test_a_known_page_is_asked_conditionally_and_what_it_was_asked_with_is_kept(site, round_of):
    url = site.put("/a", lambda _: site.reply(304))
    known = {
        "url": url,
        "signature": b"x" * 16,
        "etag": '"v1"',
        "last_modified": "Sun, 01 Feb 2026 00:00:00 GMT",
        "modified_time": round_of.now - timedelta(days=30),
        "retries": 2,
    }
    segment = round_of.lists([known])
    round_of.fetch(segment)
    (asked,) = (one for one in site.log if one.path == "/a")
    assert asked.headers["if-none-match"] == '"v1"'
    assert asked.headers["if-modified-since"] == "Sun, 01 Feb 2026 00:00:00 GMT"
    row = round_of.fetched(segment)[url]
    assert (row["fetch_status"], row["protocol_status"]) == ("fetch_notmodified", "notmodified")
    assert (row["etag"], row["last_modified"]) == ('"v1"', "Sun, 01 Feb 2026 00:00:00 GMT")
    assert (row["signature"], row["retries"]) == (b"x" * 16, 2)
    assert round_of.rows(segment, "content") == []


def test_a_page_without_a_signature_is_asked_in_full(site, round_of):
    url = site.page("/a")
    segment = round_of.lists([{"url": url, "etag": '"v1"', "modified_time": round_of.now}])
    round_of.fetch(segment)
    (asked,) = (one for one in site.log if one.path == "/a")
    assert "if-none-match" not in asked.headers
    assert "if-modified-since" not in asked.headers


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"HTTP/1.1 9999999 X\r\n\r\n",
        b"HTTP/1.1 200 OK\r\netag: a\0b\r\ncontent-type: a\0b/\xff\r\ncontent-length: 1\r\n\r\nx",
        b"HTTP/1.1 200 OK\r\netag: \xed\xa0\x80\r\ncontent-length: 1\r\n\r\nx",
        b"HTTP/1.1 301 X\r\nlocation: /\xed\xa0\x80\0\r\ncontent-length: 0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\netag: " + b"e" * 100_000 + b"\r\ncontent-length: 1\r\n\r\nx",
        b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 3\r\n\r\nxxx",
        b"\x00\x01\x02",
    ],
)
def test_a_broken_answer_costs_its_own_row(site, round_of, answer):
    bad = site.put("/bad", answer)
    good = [site.page(f"/{n}") for n in range(3)]
    segment = round_of.lists([bad, *good])
    round_of.fetch(segment)
    rows = round_of.fetched(segment)
    assert {rows[url]["fetch_status"] for url in good} == {"fetch_success"}
    assert rows[bad]["fetch_status"]
    for row in rows.values():
        for value in row.values():
            assert "\0" not in str(value)
        assert len(row["etag"] or "") <= 1000


def test_a_fault_in_a_thread_costs_its_own_url(site, round_of, monkeypatch):
    real = HttpProtocol.fetch

    def faulty(self, request, **options):
        if request.url.endswith("/5"):
            raise RuntimeError("a fault")
        return real(self, request, **options)

    monkeypatch.setattr(HttpProtocol, "fetch", faulty)
    urls = [site.page(f"/{n}") for n in range(10)]
    segment = round_of.lists(urls)
    report = round_of.fetch(segment)
    assert report.counts == {"fetch_retry": 1, "fetch_success": 9}
    row = round_of.fetched(segment)[site.url("/5")]
    assert row["protocol_status"] == "failed"
    assert row["reason"] == "program error: RuntimeError: a fault"


# lists


def test_lists_can_be_fetched_one_by_one(site, round_of):
    lists = [[site.page(f"/{k}/{n}") for n in range(3)] for k in range(3)]
    segment = round_of.lists(*lists)
    reports = [round_of.fetch(segment, partition=k) for k in (1, 0, 2)]
    assert [report.counts for report in reports] == [{"fetch_success": 3}] * 3
    assert [row["list"] for row in round_of.fetched(segment).values()] == [0] * 3 + [1] * 3 + [
        2
    ] * 3
    whole = round_of.fetch(segment)
    assert whole.counts == {"fetch_success": 9}
    assert whole.details["already_done"]
    assert len(site.paths()) == 9


def test_a_list_that_is_not_there(round_of):
    segment = round_of.lists(["http://a.test/"])
    with pytest.raises(NotFoundError, match="no fetch list 7"):
        round_of.fetch(segment, partition=7)
    with pytest.raises(NotFoundError):
        round_of.fetch("20200101000000")


def test_an_empty_list_is_finished(round_of):
    segment = round_of.lists([])
    assert round_of.fetch(segment).counts == {}
    assert round_of.crawl.segment(segment).done("fetch", 0) is not None


def test_without_an_agent_name_nothing_is_asked(site, round_of):
    segment = round_of.lists([site.page("/a")])
    with pytest.raises(ConfigError, match=r"http\.agent\.name"):
        round_of.fetch(segment, {"http.agent.name": ""})
    assert site.log == []


def test_two_fetches_of_a_list_at_once_ask_each_page_once(site, round_of):
    urls = [site.slow(f"/{n}", 0.01) for n in range(40)]
    segment = round_of.lists(urls)
    reports = []

    def run():
        reports.append(round_of.fetch(segment))

    threads = [threading.Thread(target=run) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(site.paths()) == sorted(f"/{n}" for n in range(40))
    assert [report.counts for report in reports] == [{"fetch_success": 40}] * 3
    assert len(round_of.fetched(segment)) == 40


def test_progress_is_told(site, round_of):
    lines = []
    segment = round_of.lists([site.slow(f"/{n}", 0.3) for n in range(5)])
    round_of.fetch(segment, progress=lines.append)
    assert lines
    assert "of 5 urls" in lines[0]


def test_a_stop_does_not_wait_for_a_page_that_never_comes(site, round_of, monkeypatch):
    monkeypatch.setattr("crawl_ops.jobs.fetching.run.STOP_WAIT_S", 0.2)
    stop, patience = threading.Event(), threading.Event()
    quick, slow = site.page("/quick"), site.slow("/slow", 4)
    segment = round_of.lists([quick, slow])
    config = {"fetcher.threads.per.queue": 2}

    def ask():
        while not {"/quick", "/slow"} <= set(site.paths()):
            patience.wait(0.02)
        patience.wait(0.3)
        stop.set()

    asking = threading.Thread(target=ask)
    asking.start()
    with pytest.raises(StoppedError, match="what was fetched is kept, 1 still on the wire is not"):
        round_of.fetch(segment, config, stop=stop)
    asking.join()
    assert round_of.fetch(segment, config).counts == {"fetch_success": 2}
    assert sorted(site.paths()) == ["/quick", "/slow", "/slow"]


def test_a_segment_that_is_removed_meanwhile_fails_the_fetch(site, round_of):
    segment = round_of.lists([site.page("/a"), site.slow("/b", 1)])
    patience = threading.Event()

    def remove():
        while "/a" not in site.paths():
            patience.wait(0.02)
        shutil.rmtree(round_of.crawl.root / "segments" / segment)

    removing = threading.Thread(target=remove)
    removing.start()
    with pytest.raises(StoreError, match=f"segment {segment} was removed while it was being"):
        round_of.fetch(segment)
    removing.join()


# the disk


def full(*_, **__):
    raise OSError(errno.ENOSPC, "No space left on device")


def assert_nothing_is_half_there(round_of, segment):
    found = round_of.crawl.segment(segment)
    assert found.done("fetch", 0) is None
    for part in ("content", "crawl_fetch", "crawl_parse", "rejected"):
        for file in found.part_files(part):
            pq.read_table(round_of.crawl.files.location(file.path))
    seen = {row["url"] for row in round_of.rows(segment, "crawl_fetch")}
    assert {row["url"] for row in round_of.rows(segment, "content")} >= seen


def test_a_disk_full_for_the_journal_is_one_error_and_the_rest_is_for_later(
    site, round_of, monkeypatch
):
    urls = [site.page(f"/{n}") for n in range(30)]
    segment = round_of.lists(urls)
    real, written = os.writev, []

    def write(handle, pieces):
        written.append(pieces)
        if len(written) > 10:
            full()
        return real(handle, pieces)

    with monkeypatch.context() as patched:
        patched.setattr(os, "writev", write)
        with pytest.raises(StoreError, match=r"journal: the disk is full"):
            round_of.fetch(segment)
    assert_nothing_is_half_there(round_of, segment)
    asked = len(site.paths())
    assert round_of.fetch(segment).counts == {"fetch_success": 30}
    assert len(round_of.fetched(segment)) == 30
    again = len(site.paths()) - 30
    assert again <= asked - 10, "what the journal had is not asked for again"


@pytest.mark.parametrize("part", ["content", "crawl_fetch"])
def test_a_disk_full_for_a_part_leaves_no_half_part(site, round_of, monkeypatch, part):
    urls = [site.page(f"/{n}") for n in range(20)]
    segment = round_of.lists(urls)
    real = LocalFiles.publish

    def publish(self, written, path):
        if f"/{part}/" in path:
            full()
        real(self, written, path)

    with monkeypatch.context() as patched:
        patched.setattr(LocalFiles, "publish", publish)
        with pytest.raises(StoreError, match="the disk is full"):
            round_of.fetch(segment)
    assert round_of.rows(segment, "crawl_fetch") == []
    assert_nothing_is_half_there(round_of, segment)
    assert round_of.fetch(segment).counts == {"fetch_success": 20}
    assert len(site.paths()) == 20, "all was in the journal"
    assert list((round_of.crawl.root / "scratch").rglob("*.journal")) == []


def test_a_large_list_stays_in_columns(round_of):
    urls = [f"http://host{n % 500}.test/page/{n:06}/{'x' * 60}" for n in range(50_000)]
    name = round_of.lists(urls)
    del urls
    segment = round_of.crawl.segment(name)
    FetchList(segment, 0)
    tracemalloc.start()
    schedule = Schedule(round_of.config(), {0: FetchList(segment, 0)}, {0: set()})
    size, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(schedule) == 50_000
    assert size < 50_000 * 500
    (taken,) = schedule.take(0.0)
    assert taken.item.url.startswith("http://host0.test/page/000000/")


def test_a_finished_segment_is_told_also_where_nothing_can_be_locked(site, round_of):
    segment = round_of.lists([site.page("/a")])
    first = round_of.fetch(segment)
    locks = round_of.crawl.segment(segment).journal_folder(0).parent.parent
    shutil.rmtree(locks)
    locks.write_text("as in a folder that is read-only, no lock can be made here")
    again = round_of.fetch(segment)
    assert again.counts == first.counts
    assert again.details["already_done"]
