"""A crawl folder whose tables and segments are given as rows."""

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from crawl_ops.config.load import load
from crawl_ops.config.properties import CrawlConfig
from crawl_ops.jobs.updatedb import updatedb
from crawl_ops.model import JobReport
from crawl_ops.storage.crawl_dir import CrawlDir
from crawl_ops.storage.manifest import FileEntry, slots_of
from crawl_ops.storage.schema import table_of
from crawl_ops.urls.identity import UrlIdentifier

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
Row = dict[str, Any]


class GivenCrawl:
    """A crawl made of rows; what a row does not say is as after inject and a good fetch."""

    def __init__(self, root: Path) -> None:
        root.mkdir(parents=True)
        # One seed for all: the same URLs have the same keys in two crawls.
        (root / "crawl.json").write_text(json.dumps({"format": 1, "seed": 7}))
        self.crawl = CrawlDir.open(root)
        self.identifier = UrlIdentifier(7)
        self.now = NOW

    def config(self, **properties: Any) -> CrawlConfig:
        return load(None, {"duckdb.threads": 1, **properties})

    def identity(self, url: str) -> Row:
        return {"url": url, **self.identifier.identify(url)._asdict()}

    def known(self, rows: Sequence[Mapping[str, Any]], bits: int = 0) -> None:
        """Make the crawldb: rows with at least a url."""
        full = [
            {
                **self.identity(row["url"]),
                "status": "db_unfetched",
                "fetch_time": NOW - timedelta(days=1),
                "interval_s": 2_592_000,
                "retries": 0,
                "score": 1.0,
                "depth": 1,
                **row,
            }
            for row in rows
        ]
        commit = self.crawl.table("crawldb").begin("inject", "inject:given", self.config(), NOW)
        commit._bits = bits
        for bucket in commit.buckets():
            inside = [row for row in full if bucket.lo <= row["slot"] <= bucket.hi]
            path = commit.data_path(bucket)
            target = self.crawl.root / path
            target.parent.mkdir(parents=True, exist_ok=True)
            inside.sort(key=lambda row: (row["host"], row["url"]))
            pq.write_table(table_of("crawldb", inside), target)
            entry = FileEntry(
                *slots_of(bucket.lo >> (16 - bits) if bits else 0, bits), path, len(inside), 1
            )
            commit.replace(bucket, entry if inside else None)
        commit.publish(JobReport("inject"))

    def fetched(self, url: str, status: str = "fetch_success", **changes: Any) -> Row:
        """A crawl_fetch row, with what generate copies from the crawldb by default."""
        protocol = {
            "fetch_success": "success",
            "fetch_retry": "exception",
            "fetch_redir_temp": "temp_moved",
            "fetch_redir_perm": "moved",
            "fetch_gone": "gone",
            "fetch_notmodified": "notmodified",
            "parse_failed": "success",
        }[status]
        return {
            **self.identity(url),
            "list": 0,
            "attempt": "a",
            "fetch_status": status,
            "protocol_status": protocol,
            "fetch_time": NOW,
            "bytes": 0,
            "hops": 0,
            "score": 1.0,
            "interval_s": 2_592_000,
            "retries": 0,
            **changes,
        }

    def parsed(self, url: str, signature: bytes | None = None, **changes: Any) -> Row:
        return {
            **self.identity(url),
            "attempt": "a",
            "parse_status": "success",
            "kind": "page",
            "noindex": False,
            "nofollow": False,
            "noarchive": False,
            "outlinks_found": 0,
            "outlinks_kept": 0,
            "signature": signature,
            "fetch_time": NOW,
            **changes,
        }

    def link(self, source: str, target: str, **changes: Any) -> Row:
        to, of = self.identity(target), self.identity(source)
        return {
            "k": to["k"],
            "slot": to["slot"],
            "to_url": target,
            "to_host": to["host"],
            "to_domain": to["domain"],
            "from_k": of["k"],
            "from_url": source,
            "from_host": of["host"],
            "attempt": "a",
            "kind": "link",
            "position": 0,
            "score": 0.25,
            **changes,
        }

    def segment(
        self,
        name: str = "20260301000000",
        fetched: Sequence[Row] = (),
        parsed: Sequence[Row] = (),
        links: Sequence[Row] = (),
        *,
        finished: bool = True,
        lists: int = 1,
        **parts: Sequence[Row],
    ) -> str:
        """Write a segment whose rows have a list; links and parse rows go to list 0."""
        segment = self.crawl.new_segment(name)
        segment.publish({"lists": [{"list": n} for n in range(lists)], "created": NOW.isoformat()})
        for number in range(lists):
            mine = [row for row in fetched if row["list"] == number]
            # A part file counts when the list's crawl_fetch has one of its name.
            segment.write_table("crawl_fetch", number, "a.0000", table_of("crawl_fetch", []))
            for attempt in sorted({row["attempt"] for row in mine}):
                rows = [row for row in mine if row["attempt"] == attempt]
                segment.write_part("crawl_fetch", number, f"{attempt}.0000", rows)
        for part, rows in {"parse_data": parsed, "crawl_parse": links, **parts}.items():
            for attempt in sorted({row["attempt"] for row in rows}):
                own = sorted(
                    (row for row in rows if row["attempt"] == attempt), key=lambda row: row["slot"]
                )
                parse = part in ("parse_data", "crawl_parse")
                segment.write_part(part, 0, f"{attempt}.0000" + ("p" if parse else ""), own)
        if finished:
            for number in range(lists):
                segment.finish("fetch", number, {})
                segment.finish("parse", number, {})
        return name

    def update(
        self, *segments: str, additions_allowed: bool | None = None, **conf: Any
    ) -> JobReport:
        return updatedb(
            self.crawl,
            self.config(**conf),
            segments or self.crawl.segments(),
            self.now,
            additions_allowed=additions_allowed,
        )

    def rows(self, table: str = "crawldb") -> list[Row]:
        """The rows of a table as its files have them, bucket by bucket."""
        entries = self.crawl.table(table).current().files
        return [
            row
            for entry in entries
            for row in pq.read_table(self.crawl.files.location(entry.path)).to_pylist()
        ]

    def row(self, url: str) -> Row:
        return {row["url"]: row for row in self.rows()}[url]

    def hosts(self) -> dict[str, Row]:
        return {row["host"]: row for row in self.rows("hostdb")}


@pytest.fixture
def given(tmp_path: Path) -> GivenCrawl:
    return GivenCrawl(tmp_path / "crawl")


@pytest.fixture
def another_crawl(tmp_path: Path):
    """Makes further crawls, by name."""
    return lambda name: GivenCrawl(tmp_path / name)


@pytest.fixture
def crawls(tmp_path_factory: pytest.TempPathFactory):
    """Makes any number of crawls, for a test that runs its body many times."""
    return lambda: GivenCrawl(tmp_path_factory.mktemp("given") / "crawl")
