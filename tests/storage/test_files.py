"""Files: complete or not there, a name taken once."""

import errno
from concurrent.futures import ThreadPoolExecutor

import pytest

from crawl_ops.errors import NotFoundError, StoreError
from crawl_ops.storage.files import LocalFiles


@pytest.fixture
def files(tmp_path):
    return LocalFiles(tmp_path)


def test_a_created_file_is_read_back(files):
    assert files.create("a/b.json", b"x")
    assert files.read("a/b.json") == b"x"
    assert files.size("a/b.json") == 1


def test_a_taken_name_is_not_created_again(files):
    files.create("a.json", b"first")
    assert not files.create("a.json", b"second")
    assert files.read("a.json") == b"first"


def test_of_many_creators_exactly_one_succeeds(files):
    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(lambda n: files.create("m.json", str(n).encode()), range(40)))
    assert made.count(True) == 1
    assert files.read("m.json") == str(made.index(True)).encode()


def test_nothing_is_left_aside_after_writing(files, tmp_path):
    files.create("a.json", b"x")
    files.put("a.json", b"y")
    assert files.read("a.json") == b"y"
    assert list((tmp_path / "scratch" / "aside").iterdir()) == []


def test_names_of_a_missing_folder_are_none(files):
    assert files.names("nowhere") == []


def test_walk_lists_files_below_a_folder(files):
    files.put("t/b/2", b"")
    files.put("t/a/1", b"")
    assert list(files.walk("t")) == ["t/a/1", "t/b/2"]


def test_a_missing_file_is_named(files):
    with pytest.raises(NotFoundError, match=r"gone\.json"):
        files.read("gone.json")


def test_removing_takes_the_empty_folder_along(files, tmp_path):
    files.put("a/b/c", b"")
    files.remove("a/b/c")
    files.remove("a/b/c")
    assert not (tmp_path / "a" / "b").exists()


def test_a_full_disk_is_one_clear_error(files, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device", "a.json")

    monkeypatch.setattr("crawl_ops.storage.files.os.link", full)
    with pytest.raises(StoreError, match="the disk is full"):
        files.create("a.json", b"x")
    assert not files.exists("a.json")
