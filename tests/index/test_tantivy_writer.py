"""The embedded index: one writer at a time, and no harm done by a dead one."""

import json
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from crawl_ops.config.load import load
from crawl_ops.errors import IndexingError
from crawl_ops.index.document import Document
from crawl_ops.index.search import count, get, indexed_ids, search
from crawl_ops.index.tantivy_writer import TantivyIndexWriter, weight
from crawl_ops.index.writers import IndexWriters

SMALL = {"indexer.memory.bytes": 15_000_000, "indexer.lock.timeout": 60}

WRITER = """
import sys
from pathlib import Path
from crawl_ops.config.load import load
from crawl_ops.index.document import Document
from crawl_ops.index.writers import IndexWriters

location, first, number, size = Path(sys.argv[1]), *map(int, sys.argv[2:])
config = load(overrides={"indexer.memory.bytes": 15_000_000, "indexer.lock.timeout": 60})
with IndexWriters(config, location) as writers:
    print("open", flush=True)
    for n in range(first, first + number):
        fields = {"title": f"page {n}", "content": "word " * size}
        writers.write(Document(f"http://site.test/{n}", fields))
        if n == first + number // 2:
            print("half", flush=True)
    print("written", flush=True)
    writers.commit()
    print("committed", flush=True)
print("closed", flush=True)
"""


def write(location: Path, *documents: Document) -> None:
    with IndexWriters(load(overrides=SMALL), location) as writers:
        for document in documents:
            writers.write(document)
        assert writers.commit() == []


def start(location: Path, first: int, number: int, size: int) -> "subprocess.Popen[str]":
    arguments = [str(location), str(first), str(number), str(size)]
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, *arguments], stdout=subprocess.PIPE, text=True
    )


def kill_when(running: "subprocess.Popen[str]", word: str) -> None:
    assert running.stdout is not None
    while line := running.stdout.readline():
        if line.strip() == word:
            break
    running.send_signal(signal.SIGKILL)
    running.wait()
    running.stdout.close()


def orphans(location: Path) -> list[str]:
    """Files in the index that its last commit does not name."""
    folder = location / "tantivy"
    meta = json.loads((folder / "meta.json").read_text())
    known = {segment["segment_id"].replace("-", "") for segment in meta["segments"]}
    own = {"meta.json", ".index.id", ".managed.json", ".tantivy-meta.lock", ".tantivy-writer.lock"}
    return [
        name
        for name in sorted(file.name for file in folder.iterdir())
        if name not in own and name.partition(".")[0] not in known
    ]


def test_a_document_comes_back(tmp_path: Path) -> None:
    fields = {
        "id": "http://site.test/",
        "title": "Title",
        "content": "text",
        "url": "http://site.test/",
        "host": "site.test",
        "anchor": ["home", "start"],
        "metatag.description": "About",
        "type": ["text/html", "text", "html"],
        "digest": "00ff",
    }
    write(tmp_path, Document("http://site.test/", fields, boost=2.0))
    assert get(tmp_path, "http://site.test/") == fields
    assert get(tmp_path, "http://site.test/other") is None


def test_the_same_id_replaces(tmp_path: Path) -> None:
    write(tmp_path, Document("http://site.test/", {"title": "old"}))
    write(
        tmp_path,
        Document("http://site.test/", {"title": "newer"}),
        Document("http://site.test/", {"title": "newest"}),
    )
    assert count(tmp_path) == 1
    assert search(tmp_path, "old newer", 5).total == 0
    assert search(tmp_path, "newest", 5).total == 1


def test_deleting(tmp_path: Path) -> None:
    write(tmp_path, *(Document(f"http://site.test/{n}") for n in range(5)))
    with IndexWriters(load(overrides=SMALL), tmp_path) as writers:
        writers.delete("http://site.test/3")
        writers.delete("http://site.test/never")
        writers.commit()
    assert list(indexed_ids(tmp_path)) == [f"http://site.test/{n}" for n in (0, 1, 2, 4)]
    assert search(tmp_path, "*", 10).total == count(tmp_path) == 4


def test_nothing_is_seen_without_a_commit(tmp_path: Path) -> None:
    write(tmp_path, Document("http://site.test/1"))
    with IndexWriters(load(overrides=SMALL), tmp_path) as writers:
        writers.write(Document("http://site.test/2"))
        writers.delete("http://site.test/1")
    assert list(indexed_ids(tmp_path)) == ["http://site.test/1"]
    write(tmp_path, Document("http://site.test/3"))
    assert count(tmp_path) == 2
    assert orphans(tmp_path) == []


def test_an_url_of_ten_thousand_characters_is_an_id(tmp_path: Path) -> None:
    long = ["http://site.test/" + letter * 9_983 for letter in "xy"]
    urls = [*long, "http://site.test/" + "é" * 9_983, "http://site.test/" + "é" * 9_983 + "?"]
    write(tmp_path, *(Document(url, {"url": url, "title": "long"}) for url in urls))
    write(tmp_path, Document(urls[0], {"url": urls[0], "title": "longest"}))
    assert sorted(indexed_ids(tmp_path)) == sorted(urls)
    found = search(tmp_path, "longest", 5)
    assert [hit.url for hit in found.hits] == [urls[0]]
    assert get(tmp_path, urls[3]) == {"id": urls[3], "url": urls[3], "title": "long"}


def test_a_word_of_a_million_characters_harms_no_other(tmp_path: Path) -> None:
    text = "haystack " + "abcdefghij" * 100_000 + " tail"
    write(tmp_path, Document("http://site.test/", {"title": "needle", "content": text}))
    for word in ("haystack", "needle", "tail", "abcdefghij" * 51):
        assert search(tmp_path, word, 5).total == 1, word[:10]
    found = get(tmp_path, "http://site.test/")
    assert found is not None
    assert len(found["content"]) == len(text)


def test_a_document_the_index_cannot_hold_is_refused_alone(tmp_path: Path) -> None:
    with IndexWriters(load(overrides=SMALL), tmp_path) as writers:
        writers.write(Document("http://site.test/bad", {"odd": object()}))  # type: ignore[dict-item]
        writers.write(Document("http://site.test/good"))
        [refusal] = writers.commit()
        assert writers.commit() == []
    assert refusal.id == "http://site.test/bad"
    assert not refusal.retryable
    assert list(indexed_ids(tmp_path)) == ["http://site.test/good"]


def test_small_jobs_do_not_pile_up_files(tmp_path: Path) -> None:
    for number in range(30):
        write(tmp_path, Document(f"http://site.test/{number}"))
    assert count(tmp_path) == 30
    assert len(list((tmp_path / "tantivy").iterdir())) < 100
    assert orphans(tmp_path) == []


def test_the_second_writer_waits_and_then_gives_up(tmp_path: Path) -> None:
    first = TantivyIndexWriter(load(overrides=SMALL), tmp_path)
    second = TantivyIndexWriter(load(overrides=SMALL | {"indexer.lock.timeout": 0.1}), tmp_path)
    first.open()
    with pytest.raises(IndexingError, match=r"indexer\.lock\.timeout") as raised:
        second.open()
    assert raised.value.retryable
    first.close()
    first.close()
    second.open()
    second.close()


def test_a_writer_that_is_not_open(tmp_path: Path) -> None:
    writer = TantivyIndexWriter(load(overrides=SMALL), tmp_path)
    with pytest.raises(IndexingError, match="not open"):
        writer.write(Document("http://site.test/"))


def test_a_broken_index_is_named(tmp_path: Path) -> None:
    write(tmp_path, Document("http://site.test/"))
    (tmp_path / "tantivy" / "meta.json").write_text("{")
    with pytest.raises(IndexingError, match="tantivy"):
        write(tmp_path, Document("http://site.test/"))
    with pytest.raises(IndexingError, match="tantivy"):
        search(tmp_path, "x", 5)


def test_a_folder_that_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "index").write_text("")
    with pytest.raises(IndexingError):
        write(tmp_path / "index", Document("http://site.test/"))


def test_writers_of_several_processes_lose_nothing(tmp_path: Path) -> None:
    running = [start(tmp_path, first, 250, 20) for first in (0, 200, 500)]
    totals = []
    while any(process.poll() is None for process in running):
        totals.append(search(tmp_path, "*", 1).total)
    for process in running:
        assert process.communicate()[0].split()[-1] == "closed"
        assert process.returncode == 0
    assert count(tmp_path) == 700
    assert totals == sorted(totals)
    assert orphans(tmp_path) == []


def test_a_writer_killed_at_any_moment_leaves_the_last_commit(tmp_path: Path) -> None:
    kill_when(start(tmp_path, 0, 1, 1), "open")
    assert search(tmp_path, "*", 5).total == 0
    write(tmp_path, Document("http://site.test/0", {"title": "before"}))
    for moment in ("open", "half", "written"):
        kill_when(start(tmp_path, 0, 400, 2_000), moment)
        found = search(tmp_path, "*", 1_000)
        assert (found.total, len(found.hits)) in ((1, 1), (400, 400)), moment
    kill_when(start(tmp_path, 0, 400, 20), "committed")
    assert count(tmp_path) == 400
    assert search(tmp_path, "before", 5).total == 0
    write(tmp_path, Document("http://site.test/last"))
    assert count(tmp_path) == 401
    assert orphans(tmp_path) == []


def test_a_delete_killed_before_its_commit_can_be_done_again(tmp_path: Path) -> None:
    before, after = tmp_path / "before", tmp_path / "after"
    write(before, *(Document(f"http://site.test/{n}") for n in range(10)))
    shutil.copytree(before, after)
    with IndexWriters(load(overrides=SMALL), after) as writers:
        writers.delete("http://site.test/3")
        writers.commit()
    # What a kill leaves between the file of deletes, named by number, and meta.json.
    (left,) = (after / "tantivy").glob("*.del")
    for name in (left.name, ".managed.json"):
        shutil.copy(after / "tantivy" / name, before / "tantivy" / name)
    assert count(before) == 10
    with IndexWriters(load(overrides=SMALL), before) as writers:
        writers.delete("http://site.test/3")
        writers.commit()
    assert list(indexed_ids(before)) == list(indexed_ids(after))
    assert count(before) == 9


def test_a_boost_never_outweighs_the_words() -> None:
    assert [round(weight(boost), 2) for boost in (0.0, 1.0, 1e30)] == [1.0, 1.45, 1.9]


@pytest.mark.parametrize(
    ("said", "free"),
    [("An index writer was killed", 0), ("No space left on device (os error 28)", 1 << 40)],
)
def test_a_full_disk_is_told_and_not_tried_again(tmp_path, monkeypatch, said, free) -> None:
    writer = TantivyIndexWriter(load(overrides=SMALL), tmp_path)
    writer.open()
    monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=free))
    failed = writer._failure("could not be committed", ValueError(said))
    writer.close()
    assert not failed.retryable
    assert str(failed) == f"{tmp_path / 'tantivy'}: the disk is full (could not be committed)"


def test_another_failure_may_be_tried_again(tmp_path) -> None:
    writer = TantivyIndexWriter(load(overrides=SMALL), tmp_path)
    assert writer._failure("could not be committed", ValueError("killed")).retryable


DELETER = """
import resource, sys
from pathlib import Path

from crawl_ops.config.load import load
from crawl_ops.index.tantivy_writer import TantivyIndexWriter

writer = TantivyIndexWriter(load(), Path(sys.argv[1]))
writer.open()
for number in range(300_000):
    writer.delete(f"http://a.example/{number}")
    if number % 100_000 == 99_999:
        writer.commit()
        print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
writer.close()
"""


def test_deletes_without_documents_are_not_held_after_their_commit(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", DELETER, str(tmp_path)],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    first, *_, last = map(int, done.stdout.split())
    assert last - first < 40_000  # KiB; it was 250,000
