"""How far a running fetch is, for those who watch."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from crawl_ops.storage.files import LocalFiles
from crawl_ops.storage.progress import SAMPLES_MOST, ProgressFile, ProgressLine, running

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture
def files(tmp_path: Path) -> LocalFiles:
    return LocalFiles(tmp_path)


def test_a_line_is_text_that_carries_its_numbers() -> None:
    line = ProgressLine("3 of 9 urls", {"pages": 3})
    assert line == "3 of 9 urls"
    assert isinstance(line, str)
    assert line.numbers == {"pages": 3}


def test_readers_find_what_was_put_last_until_it_is_removed(files: LocalFiles) -> None:
    file = ProgressFile(files, "20260301", 2)
    file.put({"pages": 1}, NOW)
    file.put({"pages": 5, "counts": {"fetch_gone": 2}}, NOW + timedelta(seconds=2))
    found = running(files, "20260301")
    assert list(found) == [2]
    assert found[2]["pages"] == 5
    assert found[2]["time"] == NOW + timedelta(seconds=2)
    assert [sample[1:] for sample in found[2]["samples"]] == [[1, 0], [5, 2]]
    file.remove()
    assert running(files, "20260301") == {}
    assert running(files, "another") == {}


def test_samples_are_thinned_out_but_reach_back_to_the_start(files: LocalFiles) -> None:
    file = ProgressFile(files, "s", None)
    for second in range(2000):
        file._sample({"pages": second}, NOW + timedelta(seconds=second))
    file.put({"pages": 2000}, NOW + timedelta(seconds=2000))
    samples = running(files, "s")[0]["samples"]
    assert SAMPLES_MOST // 3 < len(samples) <= SAMPLES_MOST
    assert samples[0][1] == 0
    assert samples[-1][1] > 1950


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b'"x"', b'{"time": 3}', b'{"time": "x"}'])
def test_a_file_that_is_no_progress_is_passed_over(files: LocalFiles, data: bytes) -> None:
    ProgressFile(files, "s", 1).put({"pages": 1}, NOW)
    files.put("scratch/progress/s/list-000.json", data)
    files.put("scratch/progress/s/strange", b"x")
    assert list(running(files, "s")) == [1]


def test_a_disk_that_takes_nothing_does_not_stop_the_fetch(tmp_path: Path) -> None:
    (tmp_path / "scratch").write_text("a file where the folder should be")
    file = ProgressFile(LocalFiles(tmp_path), "s", 0)
    file.put({"pages": 1}, NOW)
    file.remove()
    assert running(LocalFiles(tmp_path), "s") == {}
