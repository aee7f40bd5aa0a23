"""A crawl folder made by jobs and rows, and the pages over it."""

import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from fastapi import HTTPException, Request

from crawl_ops.config.load import load
from crawl_ops.config.properties import CrawlConfig
from crawl_ops.jobs.generate import generate
from crawl_ops.jobs.inject import inject
from crawl_ops.jobs.updatedb import updatedb
from crawl_ops.storage.crawl_dir import CrawlDir
from crawl_ops.storage.segment import Segment
from crawl_ops.web.pages import Access
from crawl_ops.web.runs import Run

# Airflow reads its settings once, when it is first imported: they are set before that.
_HOME = tempfile.TemporaryDirectory(prefix="airflow-")
os.environ.setdefault("AIRFLOW_HOME", _HOME.name)
os.environ.setdefault("AIRFLOW__CORE__LOAD_EXAMPLES", "False")
os.environ.setdefault("AIRFLOW__API_AUTH__JWT_SECRET", "for tests only " * 6)

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
RUN = "manual__2026-03-01T12:00:00+00:00"
PROTOCOL = {
    "fetch_success": ("success", 200),
    "fetch_retry": ("exception", 503),
    "fetch_gone": ("notfound", 404),
    "fetch_redir_perm": ("moved", 301),
    "fetch_notmodified": ("notmodified", 304),
}
COPIED = [
    *("k", "slot", "url", "host", "domain", "list", "score", "modified_time", "interval_s"),
    *("retries", "signature", "depth", "max_depth"),
]


class WebCrawl:
    """A crawl whose fetches are rows."""

    def __init__(self, root: Path) -> None:
        self.crawl = CrawlDir.open(root, create=True)
        self.now = NOW
        self.run_id = RUN

    def config(self, **properties: Any) -> CrawlConfig:
        return load(None, {"duckdb.threads": 1, "http.agent.name": "test", **properties})

    def seeds(self, urls: Sequence[str]) -> None:
        inject(self.crawl, self.config(), list(urls), self.now)

    def generate(self, depth: int = 1, lists: int = 1, add_days: float = 0) -> Segment:
        config = self.config(**{"generate.num.fetchers": lists})
        report = generate(
            self.crawl, config, self.now, run_id=self.run_id, depth=depth, add_days=add_days
        )
        assert report.segment is not None
        return self.crawl.segment(report.segment)

    def fetch(
        self,
        segment: Segment,
        outcomes: Mapping[str, str] | None = None,
        *,
        lists: Sequence[int] | None = None,
        attempt: str = "a",
        most: int | None = None,
        finish: bool = True,
        pages: Mapping[str, bytes] | None = None,
        **changes: Any,
    ) -> None:
        """Rows of a fetch and its parse: `outcomes` by URL, the rest a success."""
        for number in segment.lists() if lists is None else lists:
            rows = [self._fetched(row, outcomes or {}, attempt) | changes for row in
                    self._selected(segment, number)[:most]]  # fmt: skip
            segment.write_part("crawl_fetch", number, f"{attempt}.0000", rows)
            good = [row for row in rows if row["fetch_status"] == "fetch_success"]
            parsed = [self._parsed(row, (pages or {}).get(row["url"], b"1" * 16)) for row in good]
            segment.write_part("parse_data", number, f"{attempt}.0000p", parsed)
            if finish:
                counts: dict[str, int] = {}
                for row in rows:
                    counts[row["fetch_status"]] = counts.get(row["fetch_status"], 0) + 1
                segment.finish("fetch", number, {"counts": counts})
                segment.finish("parse", number, {"counts": {"success": len(good)}})

    def update(self, segment: Segment) -> None:
        updatedb(self.crawl, self.config(), [segment.name], self.now)

    def _selected(self, segment: Segment, number: int) -> list[dict[str, Any]]:
        return [
            row
            for file in segment.part_files("crawl_generate", [number])
            for row in segment.read_part(file, "crawl_generate").to_pylist()
        ]

    def _fetched(
        self, row: Mapping[str, Any], outcomes: Mapping[str, str], attempt: str
    ) -> dict[str, Any]:
        status = outcomes.get(row["url"], "fetch_success")
        protocol, http = PROTOCOL[status]
        return {
            **{name: row[name] for name in COPIED},
            "attempt": attempt,
            "fetch_status": status,
            "protocol_status": protocol,
            "http_status": http,
            "reason": None if status == "fetch_success" else f"http {http}",
            "fetch_time": self.now + timedelta(seconds=row["position"]),
            "bytes": 10,
            "hops": 0,
        }

    def _parsed(self, row: Mapping[str, Any], signature: bytes) -> dict[str, Any]:
        return {
            **{name: row[name] for name in ("k", "slot", "url", "attempt", "fetch_time")},
            "parse_status": "success",
            "kind": "page",
            "noindex": False,
            "nofollow": False,
            "noarchive": False,
            "outlinks_found": 0,
            "outlinks_kept": 0,
            "signature": signature,
        }

    def run(self, state: str = "running", **changes: Any) -> Run:
        given = {
            "dag_id": "crawl",
            "run_id": self.run_id,
            "state": state,
            "started": NOW - timedelta(minutes=1),
            "folders": (str(self.crawl.root),),
            "crawls": True,
        }
        return Run(**{**given, **changes})


class GivenRuns:
    """Runs by (dag id, run id)."""

    def __init__(self, *runs: Run) -> None:
        self.known = {(run.dag_id, run.run_id): run for run in runs}
        self.asked: list[tuple[str, str]] = []

    def of(self, dag_id: str, run_id: str) -> Run | None:
        self.asked.append((dag_id, run_id))
        return self.known.get((dag_id, run_id))

    def recent(self, dag_ids: Any, most: int) -> list[Run]:
        runs = [run for run in self.known.values() if dag_ids is None or run.dag_id in dag_ids]
        return runs[:most]


def _signed_in(request: Request) -> None:
    if request.headers.get("x-user") is None:
        raise HTTPException(401, "Not authenticated")


def _may_read(request: Request) -> None:
    if request.headers["x-user"] == "stranger":
        raise HTTPException(403, "Forbidden")


def _dag_ids(request: Request) -> set[str] | None:
    return set() if request.headers["x-user"] == "stranger" else None


ACCESS = Access(_signed_in, _may_read, _dag_ids)


@pytest.fixture(autouse=True)
def _places(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No test looks into the user's crawls or crawl.toml."""
    monkeypatch.setenv("CRAWL_STORE", str(tmp_path / "store"))
    monkeypatch.setenv("CRAWL_HOME", str(tmp_path))
    monkeypatch.delenv("CRAWL_CONFIG", raising=False)


@pytest.fixture
def made(tmp_path: Path) -> WebCrawl:
    return WebCrawl(tmp_path / "crawl")


@pytest.fixture
def another(tmp_path: Path) -> Callable[[str], WebCrawl]:
    return lambda name: WebCrawl(tmp_path / name)


@pytest.fixture
def runs_of() -> type[GivenRuns]:
    return GivenRuns


@pytest.fixture
def client():
    """Makes a client of the pages over given runs."""
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from fastapi.testclient import TestClient

    from crawl_ops.web.app import create_app

    def make(*runs: Run, user: str | None = "me", now: datetime = NOW, answers: Any = None) -> Any:
        app = create_app(GivenRuns(*runs), ACCESS, lambda: now, answers)
        headers = {} if user is None else {"x-user": user}
        return TestClient(app, headers=headers, raise_server_exceptions=True)

    return make
