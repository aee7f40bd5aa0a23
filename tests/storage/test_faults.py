"""Broken data files are named where the engine or pyarrow says only what it stumbled over."""

from datetime import UTC, datetime

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from crawl_ops.config.load import load
from crawl_ops.errors import StoreError
from crawl_ops.jobs.inject import inject
from crawl_ops.jobs.readdb import stats
from crawl_ops.storage.ask import query
from crawl_ops.storage.crawl_dir import CrawlDir
from crawl_ops.storage.faults import reading
from crawl_ops.storage.host_rows import HostRows

NOW = datetime(2026, 12, 1, tzinfo=UTC)
NAME = b"\x06reason%"  # as it stands in the schema of a footer, between other fields


@pytest.fixture
def crawl(tmp_path):
    crawl = CrawlDir.open(tmp_path / "it's", create=True)
    inject(crawl, load(), [f"http://a.example/{n}" for n in range(50)], NOW)
    return crawl


@pytest.fixture
def file(crawl):
    (entry,) = crawl.table("crawldb").current().files
    return crawl.root / entry.path


def flip(file, at, bits):
    data = bytearray(file.read_bytes())
    data[at] ^= bits
    file.write_bytes(data)


def in_footer(file):
    return file.read_bytes().rindex(NAME)


def said_by(call):
    with pytest.raises(StoreError) as raised:
        call()
    return str(raised.value)


def asked(crawl, sql="select * from crawldb"):
    return lambda: list(query(crawl, load(), sql))


@pytest.mark.parametrize(("place", "bits"), [(1, 0x80), (1, 0x01), (5, 0x60)])
def test_a_bit_of_a_footer_that_turned(crawl, file, place, bits):
    flip(file, in_footer(file) + place, bits)
    for call in (lambda: stats(crawl, load()), asked(crawl)):
        said = said_by(call)
        assert said.startswith(f"{file}: this data file is broken (")
        assert said.isprintable()


def test_fewer_rows_than_the_manifest_says(crawl, file):
    table = pq.read_table(file)
    pq.write_table(table.slice(0, 7), file)
    with crawl.session(load()) as session:
        session.bind_table("crawldb", crawl.table("crawldb").current())
        said = session.broken(RuntimeError("something"))
    assert said == (
        f"{file}: this data file is broken (it has 7 rows, not 50);"
        " docs/recovery.md says what mends it"
    )


def test_pages_that_the_engine_cannot_read_are_found_behind_a_good_footer(crawl, file):
    data = file.read_bytes()
    with pq.ParquetFile(file) as parquet:
        chunk = parquet.metadata.row_group(0).column(2)
        start = chunk.dictionary_page_offset or chunk.data_page_offset
        file.write_bytes(
            data[:start]
            + b"\xff" * chunk.total_compressed_size
            + data[start + chunk.total_compressed_size :]
        )
    with crawl.session(load()) as session:
        session.bind_table("crawldb", crawl.table("crawldb").current())
        said = session.broken(RuntimeError("invalid TType"))
    assert said is not None
    assert said.startswith(f"{file}: this data file is broken (")


def test_what_a_query_has_wrong_is_no_fault_of_a_file(crawl, file):
    flip(file, len(file.read_bytes()) - 1, 0)
    assert said_by(asked(crawl, "select nothing from crawldb")).startswith("sql: Binder Error")
    with crawl.session(load()) as session:
        session.bind_table("crawldb", crawl.table("crawldb").current())
        assert session.broken(RuntimeError("something else")) is None


def test_rows_of_hosts_read_without_the_engine(crawl, file):
    flip(file, in_footer(file) + 1, 0x80)
    bucket = crawl.table("crawldb").current().bucket()
    rows = HostRows(crawl.files, "crawldb", ["a.example"])
    said = said_by(lambda: list(rows.stored(bucket, ["url"])))
    assert said.startswith(f"{file}: this data file is broken (")


def test_reading_blames_a_file_only_if_it_cannot_be_read(file):
    with pytest.raises(pa.ArrowInvalid, match="elsewhere"), reading(str(file), "crawldb"):
        raise pa.ArrowInvalid("elsewhere")
    flip(file, in_footer(file) + 1, 0x01)
    with (
        pytest.raises(StoreError, match="column reason of crawldb is missing"),
        reading(str(file), "crawldb"),
    ):
        raise pa.ArrowInvalid("elsewhere")
