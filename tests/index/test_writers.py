"""The writers of indexer.writers together."""

from pathlib import Path

import pytest

from crawl_ops.config.load import load
from crawl_ops.errors import ConfigError, IndexingError
from crawl_ops.index.document import Document
from crawl_ops.index.refusal import Refusal
from crawl_ops.index.search import count
from crawl_ops.index.writers import IndexWriters, writers

PLUG = """
import pathlib
from crawl_ops.index.refusal import Refusal

class Picky:
    def __init__(self, config, location):
        self.log = location / "picky.txt"
        self.refused = []

    def say(self, *words):
        with self.log.open("a") as file:
            print(*words, file=file)

    def open(self):
        self.say("open")

    def write(self, doc):
        self.refused.append(Refusal(doc.id, "429", retryable=True))

    def delete(self, id):
        self.say("delete", id)

    def commit(self):
        return self.refused

    def close(self):
        self.say("close")
        raise RuntimeError("closed badly")
"""


@pytest.fixture
def plug_folder(tmp_path: Path) -> Path:
    folder = tmp_path / "plugins"
    folder.mkdir()
    (folder / "picky.py").write_text(PLUG)
    return folder


def test_all_writers_get_everything(tmp_path: Path) -> None:
    config = load(overrides={"indexer.writers": "dummy, csv, tantivy"})
    with IndexWriters(config, tmp_path) as all_of_them:
        all_of_them.write(Document("http://site.test/a", {"title": "a"}))
        all_of_them.write(Document("http://site.test/b", {"title": "b"}))
        all_of_them.delete("http://site.test/a")
        assert all_of_them.commit() == []
    assert (tmp_path / "dummy" / "dummy-index.txt").read_text() == (
        "add\thttp://site.test/a\nadd\thttp://site.test/b\ndelete\thttp://site.test/a\n"
    )
    assert (tmp_path / "csv" / "nutch.csv").read_text().count("http://site.test/") == 2
    assert count(tmp_path) == 1


def test_the_dummy_log_grows_at_commits_only(tmp_path: Path) -> None:
    config = load(overrides={"indexer.writers": "dummy"})
    for url in ("http://site.test/a", "http://site.test/b"):
        with IndexWriters(config, tmp_path) as dummy:
            dummy.write(Document(url))
            dummy.commit()
            dummy.write(Document("http://site.test/never"))
    assert (tmp_path / "dummy" / "dummy-index.txt").read_text() == (
        "add\thttp://site.test/a\nadd\thttp://site.test/b\n"
    )


def write_and_commit(writers: IndexWriters, doc: Document, refused: list[Refusal]) -> None:
    with writers:
        writers.write(doc)
        refused += writers.commit()


def test_refusals_name_the_document(tmp_path: Path, plug_folder: Path) -> None:
    config = load(
        overrides={"indexer.writers": "dummy picky:Picky", "plugin.folders": str(plug_folder)}
    )
    refused: list[Refusal] = []
    picky = IndexWriters(config, tmp_path)
    with pytest.raises(RuntimeError, match="closed badly"):
        write_and_commit(picky, Document("http://site.test/a"), refused)
    assert refused == [Refusal("http://site.test/a", "429", retryable=True)]


def test_the_first_error_counts_and_all_are_closed(tmp_path: Path, plug_folder: Path) -> None:
    config = load(
        overrides={
            "indexer.writers": "picky:Picky tantivy",
            "plugin.folders": str(plug_folder),
            "indexer.lock.timeout": 0.05,
        }
    )
    with (
        pytest.raises(IndexingError, match="stop"),
        IndexWriters(config, tmp_path),
    ):
        raise IndexingError("stop")
    assert (tmp_path / "picky.txt").read_text().split() == ["open", "close"]
    [_, free] = writers(config, tmp_path)
    free.open()
    with pytest.raises(IndexingError, match="another job"), IndexWriters(config, tmp_path):
        pytest.fail("opened twice")
    free.close()
    assert (tmp_path / "picky.txt").read_text().split() == ["open", "close"] * 2


def test_an_unknown_writer_is_a_configuration_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"indexer\.writers.*'solar'"):
        writers(load(overrides={"indexer.writers": "solar"}), tmp_path)
