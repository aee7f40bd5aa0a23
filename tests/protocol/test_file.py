"""file: URLs: off by default, never out of the roots, folders as pages."""

import os
from datetime import UTC, datetime, timedelta

import pytest

from crawl_ops.errors import ConfigError
from crawl_ops.model import ProtocolStatus
from crawl_ops.protocol.answer import FetchRequest
from crawl_ops.protocol.file import FileProtocol
from crawl_ops.protocol.plugs import Protocols


@pytest.fixture
def root(tmp_path):
    root = tmp_path / "corpus"
    (root / "deep").mkdir(parents=True)
    (root / "a page.html").write_text("<title>A</title>")
    (root / "deep" / "b.txt").write_text("text")
    (root / "b\u00fccher.txt").write_text("b\u00fccher")
    (tmp_path / "secret.txt").write_text("secret")
    return root


@pytest.fixture
def fetch(config, root):
    def run(path, properties=None, **request):
        given = {"file.roots": [str(root)], **(properties or {})}
        url = path if path.startswith("file:") else f"file://{root}{path}"
        return FileProtocol(config(**given)).fetch(FetchRequest(url, **request))

    return run


def test_off_by_default(config, client, root):
    protocols = Protocols(config(), client())
    answer = protocols.fetch(FetchRequest(f"file://{root}/deep/b.txt"))
    assert answer.status is ProtocolStatus.PROTO_NOT_FOUND
    allowed = Protocols(config(**{"file.roots": str(root)}), client())
    assert allowed.fetch(FetchRequest(f"file://{root}/deep/b.txt")).content == b"text"
    allowed.close()


def test_a_file(fetch):
    answer = fetch("/a%20page.html")
    assert (answer.status, answer.http_status) == (ProtocolStatus.SUCCESS, 200)
    assert (answer.content, answer.content_type) == (b"<title>A</title>", "text/html")
    assert answer.last_modified.endswith("GMT")
    assert fetch("/deep/b.txt").content_type == "text/plain"
    assert fetch("/b%C3%BCcher.txt#x").content == "b\u00fccher".encode()


def test_localhost_is_this_machine_and_no_other_is(fetch, root):
    assert fetch(f"file://localhost{root}/deep/b.txt").location == f"file://{root}/deep/b.txt"
    other = fetch(f"file://b.example{root}/deep/b.txt")
    assert (other.status, other.content) == (ProtocolStatus.EXCEPTION, b"")
    assert "b.example" in other.reason


def test_a_folder_is_a_page_of_links(fetch, root):
    page = fetch("/")
    text = page.content.decode()
    assert (page.content_type, page.charset_hint) == ("text/html", "utf-8")
    assert [line for line in text.splitlines() if "href" in line] == [
        '<a href="./a%20page.html">a page.html</a><br>',
        '<a href="./b%C3%BCcher.txt">b\u00fccher.txt</a><br>',
        '<a href="./deep/">deep/</a><br>',
    ]
    assert '<a href="../">' in fetch("/deep/").content.decode()
    assert '<a href="../">' not in fetch("/deep/", {"file.crawl.parent": False}).content.decode()


@pytest.mark.parametrize("path", ["/deep", "/deep/../deep", "/./deep/", "//deep/"])
def test_another_spelling_redirects(fetch, root, path):
    answer = fetch(path)
    assert answer.status is ProtocolStatus.MOVED
    assert answer.location == f"file://{root}/deep/"


@pytest.mark.parametrize(
    "path", ["/../secret.txt", "/..%2fsecret.txt", "/%2e%2e/secret.txt", "/link", "/deep/out/x"]
)
def test_nothing_outside_the_roots(fetch, root, tmp_path, path):
    (root / "link").symlink_to(tmp_path / "secret.txt")
    (tmp_path / "x").write_text("x")
    (root / "deep" / "out").symlink_to(tmp_path)
    answer = fetch(path)
    assert (answer.status, answer.content) == (ProtocolStatus.ACCESS_DENIED, b"")
    assert answer.reason == "the file is not below file.roots"


def test_a_link_inside_the_roots_is_followed(fetch, root):
    (root / "link").symlink_to(root / "deep" / "b.txt")
    assert fetch("/link").content == b"text"


def test_what_is_no_file_is_not_opened(fetch, root):
    os.mkfifo(root / "pipe")
    assert fetch("/pipe").reason == "neither a file nor a folder"
    assert fetch("/pipe").status is ProtocolStatus.ACCESS_DENIED


@pytest.mark.parametrize("path", ["/none", "/deep/b.txt/x", "/" + "n" * 300])
def test_what_is_not_there(fetch, path):
    answer = fetch(path)
    assert answer.status in (ProtocolStatus.NOTFOUND, ProtocolStatus.EXCEPTION)
    assert answer.content == b""


@pytest.mark.parametrize("url", ["file:", "file://", "file:x", "file:///%00", "file:///\ud800"])
def test_what_is_no_path(fetch, url):
    assert fetch(url).status is not ProtocolStatus.SUCCESS


def test_long_files_are_cut(fetch):
    answer = fetch("/deep/b.txt", {"file.content.limit": 3})
    assert (answer.content, answer.truncated) == (b"tex", "length")
    whole = fetch("/deep/b.txt", {"file.content.limit": 4})
    assert (whole.content, whole.truncated) == (b"text", None)
    assert fetch("/deep/b.txt", {"file.content.limit": -1}).content == b"text"


def test_not_modified(fetch, root):
    now = datetime(2026, 8, 1, tzinfo=UTC)
    os.utime(root / "deep" / "b.txt", (now.timestamp(), now.timestamp()))
    later = now + timedelta(hours=1)
    assert fetch("/deep/b.txt", modified_time=later).status is ProtocolStatus.NOTMODIFIED
    sooner = now - timedelta(hours=1)
    assert fetch("/deep/b.txt", modified_time=sooner).content == b"text"


@pytest.mark.parametrize("name", ["corpus", "/nowhere/at/all"])
def test_a_root_is_a_folder_given_in_full(config, name):
    with pytest.raises(ConfigError, match=r"file\.roots"):
        FileProtocol(config(**{"file.roots": name}))
