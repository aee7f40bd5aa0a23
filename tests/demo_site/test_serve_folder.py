"""The server of unpacked documentation, and the walk that a crawl of it is held against."""

import http.client
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.reference_walk import links_of, reachable, title_of
from benchmarks.serve_folder import FolderServer


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "root"
    (folder / "sub").mkdir(parents=True)
    (folder / "empty").mkdir()
    (folder / "index.html").write_text(
        '<title>Start &amp; end</title><a href="sub">sub</a><a href="gone.html#part">gone</a>'
        '<a href="http://other.example/">other</a><a rel="nofollow" href="no.html">no</a>'
        '<img src="a.png"><a href="sub/page.html?a=1">page</a><a href="http://[">bad</a>'
    )
    (folder / "sub" / "index.html").write_text('<base href="/x/"><a href="far.html">far</a>')
    (folder / "sub" / "page.html").write_bytes(b'<meta charset="latin1"><title>caf\xe9</title>')
    (folder / "notes.txt.gz").write_bytes(b"\x1f\x8b")
    (tmp_path / "secret.html").write_text("outside")
    (folder / "out.html").symlink_to(tmp_path / "secret.html")
    (folder / "in.html").symlink_to(folder / "index.html")
    return folder


@pytest.fixture
def server(root: Path) -> Iterator[FolderServer]:
    with FolderServer(root) as running:
        yield running


def ask(server: FolderServer, path: str, **headers: str) -> tuple[int, str | None, bytes]:
    connection = http.client.HTTPConnection(server.origin.removeprefix("http://"), timeout=10)
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    connection.request("GET", path, headers=named)
    answer = connection.getresponse()
    told = answer.getheader("Location") or answer.getheader("Content-Type")
    body = answer.read()
    connection.close()
    return answer.status, told, body


@pytest.mark.parametrize(
    ("path", "status", "told"),
    [
        ("/", 200, "text/html"),
        ("/?query=1", 200, "text/html"),
        ("/sub", 301, "/sub/"),
        ("/sub/", 200, "text/html"),
        ("/sub/page.html/", 404, "text/plain"),
        ("/empty/", 404, "text/plain"),
        ("/notes.txt.gz", 200, "application/gzip"),
        ("/in.html", 200, "text/html"),
        ("/out.html", 404, "text/plain"),
        ("/../secret.html", 404, "text/plain"),
        ("/%2e%2e/secret.html", 404, "text/plain"),
        ("/a%00b", 404, "text/plain"),
    ],
)
def test_what_a_path_answers(server: FolderServer, path: str, status: int, told: str) -> None:
    assert ask(server, path)[:2] == (status, told)
    assert server.requests[status, path] == 1


def test_an_unchanged_file_answers_304(server: FolderServer) -> None:
    assert ask(server, "/", If_Modified_Since="Fri, 01 Jan 2100 00:00:00 GMT")[0] == 304
    assert ask(server, "/", If_Modified_Since="never")[0] == 200


def test_no_folder_no_server(tmp_path: Path) -> None:
    with pytest.raises(NotADirectoryError):
        FolderServer(tmp_path / "nothing")


def test_links_of_a_page_are_those_a_crawl_may_follow(root: Path) -> None:
    assert links_of(root, "/") == {"/sub", "/gone.html", "/a.png", "/sub/page.html?a=1"}
    assert links_of(root, "/sub/") == {"/x/far.html"}
    assert links_of(root, "/out.html") == set()


def test_reachable_counts_links_from_the_start(root: Path) -> None:
    assert reachable(root, "/", 0) == {"/"}
    assert reachable(root, "/", 1) == {"/"} | links_of(root, "/")
    assert reachable(root, "/sub/", 2) == {"/sub/", "/x/far.html"}


def test_titles(root: Path) -> None:
    assert title_of(root, "/") == "Start & end"
    assert title_of(root, "/sub/page.html") == "café"
    assert title_of(root, "/sub/") == ""
    assert title_of(root, "/gone.html") is None
