"""Airflow reads its settings once, when it is first imported: they are set before that."""

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

_HOME = tempfile.TemporaryDirectory(prefix="airflow-")
_ROOT = Path(__file__).parents[2]

os.environ["AIRFLOW_HOME"] = _HOME.name
os.environ["AIRFLOW__CORE__LOAD_EXAMPLES"] = "False"
os.environ["AIRFLOW__CORE__DAGS_FOLDER"] = str(_ROOT / "dags")


@pytest.fixture(autouse=True)
def _settings_of_its_own() -> Iterator[None]:
    """What a test puts into the environment, as `make crawl` does, is gone after it."""
    before = {name: value for name, value in os.environ.items() if name.startswith("AIRFLOW")}
    yield
    for name in [name for name in os.environ if name.startswith("AIRFLOW")]:
        del os.environ[name]
    os.environ.update(before)


@pytest.fixture(autouse=True)
def _places(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No test reads the user's crawl.toml or writes to the user's crawls."""
    monkeypatch.setenv("CRAWL_STORE", str(tmp_path / "store"))
    for name in ("CRAWL_HOME", "CRAWL_CONFIG", "CRAWL_MAX_DEPTH"):
        monkeypatch.delenv(name, raising=False)
