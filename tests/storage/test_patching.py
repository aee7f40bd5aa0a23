"""Files whose columns come from several, and rows changed in their places."""

import random
from datetime import UTC, datetime, timedelta

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from crawl_ops.errors import StoreError
from crawl_ops.storage.grafting import Footer, graft
from crawl_ops.storage.patching import may_be_patched, patch, state_columns
from crawl_ops.storage.schema import column_types, schemas, table_of
from crawl_ops.storage.thrift import Reader, written

NOW = datetime(2026, 3, 1, tzinfo=UTC)
ROWS = 5_000
GROUP = 2_048


def row(number, **given):
    url = f"https://h{number // 100:03}.test/{number:05}"
    known = number % 3 == 0
    return {
        "k": number * 2**49 + 7, "slot": number % 65536, "url": url, "host": url.split("/")[2],
        "domain": "test", "status": "db_fetched" if known else "db_unfetched", "fetch_time": NOW,
        "fetched_time": NOW if known else None, "interval_s": 60, "retries": 0,
        "score": number / 7, "signature": bytes([number % 256]) * 16 if known else None,
        "etag": f'"{number}"' if known else None, "depth": number % 9 or None,
    } | given  # fmt: skip


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    """A file as the engine writes it, in three row groups."""
    path = tmp_path_factory.mktemp("stored") / "base.parquet"
    rows = table_of("crawldb", [row(n) for n in range(ROWS)])
    types = ", ".join(f"CAST({n} AS {kind}) AS {n}" for n, kind in column_types("crawldb").items())
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        connection.register("rows", rows)
        connection.execute(
            f"COPY (SELECT {types} FROM rows) TO '{path}'"
            f" (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE {GROUP})"
        )
    return path


def changes(rows, names):
    fields = [schemas()["crawldb"].field(name) for name in names]
    places = pa.array(sorted(rows), pa.int64())
    columns = [pa.array([rows[at].get(f.name) for at in sorted(rows)], f.type) for f in fields]
    return pa.table([places, *columns], names=["row", *names])


def by_engine(path, condition="true"):
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        sql = f"SELECT * FROM read_parquet('{path}') WHERE {condition}"
        return connection.execute(sql).to_arrow_table().to_pylist()


def test_rows_are_changed_in_their_places_again_and_again(stored, tmp_path):
    chance = random.Random(7)
    expected = table_of("crawldb", [row(n) for n in range(ROWS)]).to_pylist()
    source = stored
    for turn in range(3):
        some = chance.sample(range(ROWS), 900)
        moved = {n: {"score": turn + n / 3, "depth": turn or None} for n in some}
        anew = {
            "status": "db_gone", "fetch_time": NOW + timedelta(days=turn), "score": turn,
            "retries": turn, "reason": "r" * turn, "segment": f"s{turn}", "etag": None,
        }  # fmt: skip
        ends = [0, GROUP - 1, GROUP, ROWS - 1]
        whole = {n: row(n, **anew) for n in [*ends, *chance.sample(range(GROUP), 200)]}
        laid = [changes(moved, ["score", "depth"]), changes(whole, state_columns("crawldb"))]
        target = tmp_path / f"turn{turn}.parquet"
        assert patch("crawldb", source, target, tmp_path / f"aside{turn}", laid) == ROWS
        for table in laid:
            for change in table.to_pylist():
                expected[change.pop("row")].update(change)
        source = target
        assert pq.read_table(source).to_pylist() == expected
        assert by_engine(source) == expected
    assert pq.read_schema(source).names == schemas()["crawldb"].names
    assert Footer.of(source).group_rows == Footer.of(stored).group_rows
    assert may_be_patched("crawldb", source)


@pytest.mark.parametrize(
    ("given", "written"),
    [
        ({"status": "db_gone", "interval_s": 60, "retries": 0}, {"status"}),
        ({"status": "db_gone", "interval_s": 61, "retries": 0}, {"status", "interval_s"}),
        ({"status": "db_gone", "metadata": "{}"}, {"status", "metadata"}),
        ({"metadata": None, "interval_s": 60}, set()),
    ],
)
def test_a_column_of_one_value_that_stays_is_copied(stored, tmp_path, given, written):
    aside = tmp_path / "aside.parquet"
    names = list(given)
    patch(
        "crawldb",
        stored,
        tmp_path / "new.parquet",
        aside,
        [changes({5: given, 4_000: given}, names)],
    )
    assert set(names) & set(pq.read_schema(aside).names) == written
    expected = table_of("crawldb", [row(n) for n in range(ROWS)]).to_pylist()
    for at in (5, 4_000):
        expected[at].update(given)
    assert by_engine(tmp_path / "new.parquet") == expected


def test_what_is_left_out_of_a_scan_is_right_after_a_change(stored, tmp_path):
    moved = changes({GROUP + 5: {"score": 1e6, "depth": 3}}, ["score", "depth"])
    patch("crawldb", stored, tmp_path / "new.parquet", tmp_path / "aside", [moved])
    assert [r["k"] for r in by_engine(tmp_path / "new.parquet", "score > 999999")] == [
        row(GROUP + 5)["k"]
    ]
    url = row(4_321)["url"]
    found = by_engine(tmp_path / "new.parquet", f"host = 'h043.test' AND url = '{url}'")
    assert [r["k"] for r in found] == [row(4_321)["k"]]
    statistics = pq.ParquetFile(tmp_path / "new.parquet").metadata.row_group(1).column(2).statistics
    assert (statistics.min, statistics.max) == (row(GROUP)["url"], row(2 * GROUP - 1)["url"])


def test_a_change_to_null_is_refused_where_there_must_be_a_value(stored, tmp_path):
    gone = changes({3: {"status": None}}, ["status"])
    with pytest.raises(StoreError, match=r"crawldb\.status: NULL"):
        patch("crawldb", stored, tmp_path / "new.parquet", tmp_path / "aside", [gone])


def test_columns_of_other_row_groups_cannot_be_put_together(stored, tmp_path):
    pq.write_table(pq.read_table(stored, columns=["score"]), tmp_path / "one.parquet")
    with pytest.raises(StoreError, match="different row groups"):
        graft(tmp_path / "new.parquet", ["k", "score"], [tmp_path / "one.parquet", stored])


def test_other_columns_or_nested_ones_are_not_patched(stored, tmp_path):
    pq.write_table(pq.read_table(stored, columns=["k", "score"]), tmp_path / "few.parquet")
    assert not may_be_patched("crawldb", tmp_path / "few.parquet")
    pq.write_table(pa.table({"k": [{"a": 1}]}), tmp_path / "nested.parquet")
    assert not Footer.of(tmp_path / "nested.parquet").flat
    assert may_be_patched("crawldb", stored)


@pytest.mark.parametrize("cut", [1, 9, 400])
def test_a_broken_file_is_named(stored, tmp_path, cut):
    broken = tmp_path / "broken.parquet"
    broken.write_bytes(stored.read_bytes()[:-cut])
    with pytest.raises(StoreError, match=r"broken\.parquet: this data file is broken"):
        Footer.of(broken)


def test_a_footer_is_read_and_written_the_same(stored, tmp_path):
    pq.write_table(pq.read_table(stored), tmp_path / "arrow.parquet", write_page_index=True)
    for path in (stored, tmp_path / "arrow.parquet"):
        data = path.read_bytes()
        size = int.from_bytes(data[-8:-4], "little")
        assert written(Reader(data[-8 - size : -8]).struct()) == data[-8 - size : -8]


def test_structures_without_end_are_refused():
    with pytest.raises(ValueError, match="without end"):
        Reader(b"\x1c" * 10_000).struct()
    with pytest.raises(ValueError, match="longer than"):
        Reader(b"\x19\xf5\xff\xff\x7f").struct()
