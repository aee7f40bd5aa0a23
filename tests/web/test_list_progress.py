"""What a fetch task tells of its progress while it runs."""

import logging
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace

import pytest

from crawl_ops.jobs.fetch import fetch
from crawl_ops.operators import list_progress as module
from crawl_ops.operators.list_progress import list_progress
from crawl_ops.storage.progress import ProgressLine, running


@pytest.fixture
def clock(monkeypatch):
    """Seconds that only a test moves."""
    now = SimpleNamespace(seconds=100.0)
    monkeypatch.setattr(module.time, "monotonic", lambda: now.seconds)
    return now


def line(pages: int) -> ProgressLine:
    return ProgressLine(f"{pages} of 9 urls", {"pages": pages})


def test_the_log_has_a_line_every_ten_seconds_and_the_file_is_never_old(made, clock, caplog):
    caplog.set_level(logging.INFO, "crawl_ops.operators.list_progress")
    with list_progress(made.crawl, "s1", 3) as progress:
        for pages in range(21):
            progress(line(pages))
            clock.seconds += 1.0
            told = running(made.crawl.files, "s1")[3]["pages"]
            assert pages - told <= 1
    assert [record.message for record in caplog.records] == [
        "0 of 9 urls",
        "10 of 9 urls",
        "20 of 9 urls",
    ]


def test_the_file_goes_when_the_fetch_is_over_however_it_ends(made, clock):
    def fail() -> None:
        with list_progress(made.crawl, "s1", None) as progress:
            progress(line(1))
            assert list(running(made.crawl.files, "s1")) == [0]
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert running(made.crawl.files, "s1") == {}


def test_a_line_without_numbers_is_only_logged(made, clock):
    with list_progress(made.crawl, "s1", 0) as progress:
        progress("parsing")
        assert running(made.crawl.files, "s1") == {}


class Site(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        body = b"" if self.path == "/robots.txt" else b"<title>a page</title>"
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def site():
    with ThreadingHTTPServer(("127.0.0.1", 0), Site) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_a_fetch_gives_the_numbers_that_the_page_reads(made, site):
    made.seeds([f"{site}/{n}" for n in range(4)])
    segment = made.generate()
    lines: list[str] = []
    config = made.config(**{"http.filter.ipaddress.exclude": [], "fetcher.server.delay": 0.6})
    fetch(made.crawl, config, segment.name, lambda: made.now, progress=lines.append)
    assert lines
    for given in lines:
        assert isinstance(given, ProgressLine)
        numbers = given.numbers
        assert numbers["pages"] + numbers["left"] == 4
        assert numbers["counts"] == {"fetch_success": numbers["pages"]}
        assert numbers["attempt"]
        assert sum(numbers["hosts"]["states"].values()) == 1
        assert numbers["hosts"]["longest_s"] <= 4 * 0.6
        assert numbers["hosts"]["waiting"] == []
