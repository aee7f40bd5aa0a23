"""Documents as CSV."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from crawl_ops.config.load import load
from crawl_ops.errors import ConfigError
from crawl_ops.index.csv_writer import CsvIndexWriter
from crawl_ops.index.document import Document

DATA = Path(__file__).parent / "data"
CASES = [json.loads(line) for line in (DATA / "csv.jsonl").read_text(encoding="utf-8").splitlines()]


def written(folder: Path, documents: list[Document], config: dict[str, Any]) -> bytes:
    writer = CsvIndexWriter(load(overrides=config), folder)
    writer.open()
    for document in documents:
        writer.write(document)
    assert list(writer.commit()) == []
    writer.close()
    return (folder / "csv" / "nutch.csv").read_bytes()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_what_nutch_writes(case: dict[str, Any], tmp_path: Path) -> None:
    documents = [Document("http://site.test/", fields) for fields in case["documents"]]
    found = written(tmp_path, documents, case["config"])
    assert found.decode(case["charset"]) == case["text"]


def test_by_default_id_title_content_and_a_header(tmp_path: Path) -> None:
    document = Document("http://site.test/", {"title": "One, two", "content": "ü", "lang": "de"})
    assert written(tmp_path, [document], {}).decode() == (
        'id,title,content\r\nhttp://site.test/,"One, two",ü\r\n'
    )


def test_columns_without_value_and_other_types(tmp_path: Path) -> None:
    fields = {"date": datetime(1970, 1, 1, tzinfo=UTC), "boost": 0.5, "anchor": ["a", "b", "c"]}
    found = written(
        tmp_path,
        [Document("http://site.test/", fields)],
        {
            "indexer.csv.fields": "title,date,boost,anchor",
            "indexer.csv.maxfieldvalues": 2,
            "indexer.csv.header": False,
        },
    )
    assert found == b",1970-01-01T00:00:00+00:00,0.5,a|b\r\n"


def test_characters_the_charset_does_not_have(tmp_path: Path) -> None:
    found = written(
        tmp_path,
        [Document("http://site.test/", {"title": "é日"})],
        {"indexer.csv.charset": "latin-1", "indexer.csv.fields": "title"},
    )
    assert found == b"title\r\n\xe9?\r\n"


def test_an_escape_character(tmp_path: Path) -> None:
    found = written(
        tmp_path,
        [Document("http://site.test/", {"title": 'a"b'})],
        {"indexer.csv.escapechar": "\\", "indexer.csv.fields": "title"},
    )
    assert found == b'title\r\n"a\\"b"\r\n'


def test_an_unknown_charset(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"indexer\.csv\.charset"):
        CsvIndexWriter(load(overrides={"indexer.csv.charset": "klingon"}), tmp_path)


def test_a_job_without_documents_leaves_the_file(tmp_path: Path) -> None:
    before = written(tmp_path, [Document("http://site.test/")], {})
    writer = CsvIndexWriter(load(), tmp_path)
    writer.open()
    writer.delete("http://site.test/")
    writer.commit()
    writer.close()
    assert (tmp_path / "csv" / "nutch.csv").read_bytes() == before


def test_nothing_is_seen_before_the_commit_and_a_second_commit_adds(tmp_path: Path) -> None:
    file = tmp_path / "csv" / "nutch.csv"
    writer = CsvIndexWriter(load(overrides={"indexer.csv.fields": "id"}), tmp_path)
    writer.open()
    writer.write(Document("http://site.test/1"))
    assert not file.exists()
    writer.commit()
    writer.write(Document("http://site.test/2"))
    writer.commit()
    writer.write(Document("http://site.test/3"))
    writer.close()
    assert file.read_bytes() == b"id\r\nhttp://site.test/1\r\nhttp://site.test/2\r\n"
    assert [f.name for f in file.parent.iterdir()] == ["nutch.csv"]
