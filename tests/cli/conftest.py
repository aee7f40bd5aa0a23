"""Jobs that only write down how they were called."""

import json
import sys
from collections.abc import Callable
from types import ModuleType, SimpleNamespace

import pytest

import crawl_ops.index
import crawl_ops.jobs
import crawl_ops.protocol
import crawl_ops.storage
import crawl_ops.urls
from crawl_ops.cli.main import main
from crawl_ops.model import JobReport, Verdict

JOBS = [
    "inject",
    "sitemap",
    "generate",
    "fetch",
    "parse",
    "updatedb",
    "invertlinks",
    "index",
    "dedup",
    "clean",
    "vacuum",
    "redo",
    "check",
    "retention",
    "mergesegs",
    "reconcile",
    "warc",
]
RECORD = {
    "url": "http://a.example/",
    "status": "db_fetched",
    "fetch_time": "2026-08-01T00:00:00Z",
    "modified_time": None,
    "interval": 2592000,
    "retries": 0,
    "score": 1.0,
    "signature": "00ff",
    "metadata": {"a": "b"},
}
GONE = {**RECORD, "url": "http://b.example/x", "status": "db_gone", "retries": 2}


class World:
    """The rooms below the command line, as they would be if they did nothing."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, tuple, dict]] = []
        self.segments = ["20260701000000", "20260701000001"]
        self.on_call: dict[str, Callable[..., None]] = {}
        self.created: list[bool] = []
        self.stats = {"total": 3, "status": {"db_fetched": 2, "db_gone": 1}}
        self.rows: list[dict] = []
        self.findings: list[str] = []
        self.held = ""
        self.linkdb_version = 1
        self.inlinks = [{"url": "http://b.example/", "anchor": "to\ta"}]
        self.index_is_there = True
        self.left_open: dict[str, str | None] = {}
        self.story: dict = {"url": "http://a.example/", "normalized": None, "status": None}
        self.story |= {"steps": [], "next_fetch": None}

    def names(self) -> list[str]:
        return [name for name, _, _ in self.calls]

    def arguments(self, name: str) -> tuple[tuple, dict]:
        return next((args, options) for called, args, options in self.calls if called == name)

    def job(self, name: str) -> Callable[..., JobReport]:
        def run(*args: object, **options: object) -> JobReport:
            self.calls.append((name, args, options))
            self.on_call.get(name, lambda *_, **__: None)(*args, **options)
            if name == "generate":
                segment = self.segments.pop(0) if self.segments else None
                details = {"lists": [{"list": 0, "expected_s": 5}]}
                if self.held and not segment:
                    counts = {"in_open_segment": 3}
                    return JobReport(name, None, counts, details={**details, "note": self.held})
                return JobReport(name, segment, details=details)
            segment = args[2] if len(args) > 2 and isinstance(args[2], str) else None
            details = {"findings": self.findings} if name == "check" else {}
            return JobReport(name, segment, {"done": 1}, 0.25, details)

        return run

    def open(self, location: str, create: bool = False) -> SimpleNamespace:
        self.created.append(create)
        return SimpleNamespace(
            location=location,
            index_location=location,
            query=lambda config, sql: iter(self.rows),
            segments=lambda: sorted(self.left_open),
            table=lambda name: SimpleNamespace(
                current=lambda: SimpleNamespace(config={}, version=self.linkdb_version)
            ),
            segment=lambda name: SimpleNamespace(
                info=lambda: {"run_id": self.left_open.get(name), "depth": 1}
            ),
        )


class Chain:
    def __init__(self, config, scope="default", *, normalize=True, filter=True):  # noqa: A002
        self.config, self.scope, self.normalize = config, scope, normalize

    def judge(self, url: str) -> Verdict:
        if url == "no url":
            return Verdict(None, "malformed", "is no URL")
        if "bad" in url:
            return Verdict(None, "regex", "-bad")
        return Verdict(url + f"?{self.scope}" if self.normalize else url)

    def changes(self, url: str) -> list[tuple[str, str]]:
        return [("basic", url + f"?{self.scope}")] if "bad" not in url else []

    def accepting(self, url: str) -> list[tuple[str, str]]:
        return [("regex", "+.")]


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> World:
    made = World()

    def put(package: ModuleType, name: str, **content: object) -> None:
        module = ModuleType(f"{package.__name__}.{name}")
        module.__dict__.update(content)
        monkeypatch.setitem(sys.modules, module.__name__, module)
        monkeypatch.setattr(package, name, module, raising=False)

    for name in JOBS:
        put(crawl_ops.jobs, name, **{name: made.job(name)})
    sys.modules["crawl_ops.jobs.generate"].__dict__["open_segments"] = (
        lambda crawl, config, manifest, now: tuple(made.left_open)
    )
    put(crawl_ops.jobs, "preflight", preflight=lambda config, seeds, **_: None)
    put(
        crawl_ops.jobs,
        "explain",
        explain=lambda crawl, config, url, now: made.story,
        never_seen=lambda story: not story["steps"],
    )
    put(
        crawl_ops.jobs,
        "readdb",
        stats=lambda crawl, config: made.stats,
        record=lambda crawl, config, url: RECORD if url == RECORD["url"] else None,
        dump=lambda crawl, config: iter([RECORD, GONE]),
    )
    put(
        crawl_ops.jobs,
        "readlinkdb",
        inlinks=lambda crawl, config, url: {"url": url, "inlinks": made.inlinks},
    )
    put(
        crawl_ops.jobs,
        "readseg",
        segments=lambda crawl, config: [{"segment": "20260701000000", "fetched": 2}],
        summary=lambda crawl, name: {"segment": name, "fetched": 3},
        get=lambda crawl, config, url, segment=None: (
            {"url": url, "segment": segment} if "a.example" in url else None
        ),
    )
    hit = SimpleNamespace(url="http://a.example/", title="A", score=1.5, snippet="a <b>a</b>")
    put(
        crawl_ops.index,
        "search",
        search=lambda where, query, limit: (
            SimpleNamespace(total=7, hits=[hit][:limit])
            if made.index_is_there and query != "nothing"
            else SimpleNamespace(total=0, hits=[])
        ),
        is_there=lambda where: made.index_is_there,
        indexed_ids=lambda where: iter(["a", "b"]),
    )
    put(crawl_ops.urls, "chain", UrlChain=Chain)
    put(crawl_ops.storage, "crawl_dir", CrawlDir=SimpleNamespace(open=made.open))
    return made


@pytest.fixture
def run(capfdbinary: pytest.CaptureFixture[bytes]) -> Callable[..., SimpleNamespace]:
    """Run a command line: its exit code, what it printed, and the JSON in that."""

    def call(*arguments: object) -> SimpleNamespace:
        code = main([str(argument) for argument in arguments])
        out, err = capfdbinary.readouterr()
        text = out.decode()
        return SimpleNamespace(
            code=code,
            out=text,
            err=err.decode(),
            lines=text.splitlines(),
            json=lambda: [json.loads(line) for line in text.splitlines()],
        )

    return call
