"""The crawl folder: made once, refused clearly."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from crawl_ops.errors import NotFoundError, StoreError
from crawl_ops.storage.crawl_dir import CrawlDir


def test_a_crawl_keeps_its_seed(tmp_path):
    first = CrawlDir.open(tmp_path / "c", create=True)
    assert CrawlDir.open(tmp_path / "c").seed == first.seed
    assert CrawlDir.open(tmp_path / "c", create=True).seed == first.seed


def test_no_crawl_is_not_found(tmp_path):
    with pytest.raises(NotFoundError, match="there is no crawl here"):
        CrawlDir.open(tmp_path / "c")
    assert not (tmp_path / "c").exists()


def test_a_folder_with_foreign_files_is_not_taken(tmp_path):
    (tmp_path / "thesis.doc").write_text("years of work")
    with pytest.raises(StoreError, match=r"thesis\.doc: foreign file"):
        CrawlDir.open(tmp_path, create=True)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.doc"]


def test_a_file_in_place_of_the_folder_is_named(tmp_path):
    (tmp_path / "c").write_text("x")
    with pytest.raises(StoreError, match="/c"):
        CrawlDir.open(tmp_path / "c", create=True)


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"format": 1}', '{"format": 1, "seed": "x"}'])
def test_a_broken_mark_is_named(tmp_path, text):
    (tmp_path / "crawl.json").write_text(text)
    with pytest.raises(StoreError, match=r"crawl\.json: is no description"):
        CrawlDir.open(tmp_path)


def test_a_newer_format_is_refused(tmp_path):
    (tmp_path / "crawl.json").write_text(json.dumps({"format": 2, "seed": 5}))
    with pytest.raises(StoreError, match=r"crawl\.json: format 2 is newer"):
        CrawlDir.open(tmp_path)


def test_two_that_begin_at_once_agree_on_the_seed(tmp_path):
    script = (
        "import sys; from crawl_ops.storage.crawl_dir import CrawlDir;"
        "print(CrawlDir.open(sys.argv[1], create=True).seed)"
    )
    started = [
        subprocess.Popen([sys.executable, "-c", script, tmp_path / "c"], stdout=subprocess.PIPE)
        for _ in range(4)
    ]
    assert len({process.communicate()[0] for process in started}) == 1


@pytest.mark.parametrize("name", ["", ".", "..", "../../etc", "nope"])
def test_a_segment_that_does_not_exist_is_not_found(crawl, name):
    with pytest.raises(NotFoundError, match="there is no segment"):
        crawl.segment(name)


def test_a_segment_is_there_when_it_is_described(crawl):
    segment = crawl.new_segment("s1")
    crawl.files.put("segments/s1/crawl_generate/list-000/list.0000.parquet", b"")
    assert crawl.segments() == []
    assert segment.publish({"lists": []})
    assert not segment.publish({"lists": [1]})
    assert crawl.segments() == ["s1"]
    assert crawl.segment("segments/s1/").lists() == []


def test_an_unknown_table_is_not_found(crawl):
    with pytest.raises(NotFoundError, match="there is no table webgraph"):
        crawl.table("webgraph")


@pytest.mark.parametrize("left", ["crawldb/manifests/00000001.json", "segments/s1/segment.json"])
def test_a_crawl_without_its_mark_is_not_begun_anew(tmp_path, left):
    (tmp_path / left).parent.mkdir(parents=True)
    (tmp_path / left).write_text("{}")
    with pytest.raises(
        StoreError, match=r"crawl\.json: is missing, but (crawldb|segments)/ is there"
    ):
        CrawlDir.open(tmp_path, create=True)
    assert not (tmp_path / "crawl.json").exists()


@pytest.mark.parametrize("create", [False, True])
@pytest.mark.parametrize(
    "location", ["s3://bucket/crawl", "file:///srv/crawl", "S3://b", Path("s3://bucket/crawl")]
)
def test_a_scheme_is_no_local_folder(tmp_path, monkeypatch, location, create) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(StoreError, match=r"(s3|file|S3):// is not supported yet"):
        CrawlDir.open(location, create=create)
    assert list(tmp_path.iterdir()) == []
