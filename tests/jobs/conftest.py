"""A crawl folder whose tables and segments are given as rows."""

import contextlib
import json
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from crawl_ops.config.load import load
from crawl_ops.config.properties import CrawlConfig
from crawl_ops.jobs.fetch import fetch
from crawl_ops.jobs.parse import parse
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
        manifest = self.crawl.table(table).current()
        found = []
        with self.crawl.session(self.config()) as session:
            for bucket in manifest.buckets():
                session.bind_bucket("rows", table, bucket)
                found += session.connection.sql("FROM rows").to_arrow_table().to_pylist()
        return found

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


# Servers for fetch and parse


@dataclass
class Asked:
    """One request: monotonic times, and what was sent."""

    host: str
    path: str
    headers: dict[str, str]
    started: float
    ended: float = 0.0


Reply = bytes | Callable[[Asked], bytes]


class Site:
    """A web of several hosts on loopback addresses, with a log. What is not said is a 404."""

    def __init__(self) -> None:
        self.pages: dict[str, Reply] = {}
        self.log: list[Asked] = []
        self.port = 0
        self._closed = threading.Event()
        self._listeners: dict[str, socket.socket] = {}
        self.listen("127.0.0.1")

    def listen(self, *addresses: str) -> None:
        """Answer on further addresses; the port is the same for all."""
        for address in addresses:
            listener = socket.create_server((address, self.port), backlog=256)
            self.port = listener.getsockname()[1]
            self._listeners[address] = listener
            threading.Thread(target=self._accept, args=(listener,), daemon=True).start()

    def url(self, path: str = "/", host: str = "127.0.0.1") -> str:
        return f"http://{host}:{self.port}{path}"

    def put(self, path: str, reply: Reply, host: str = "127.0.0.1") -> str:
        """Say what a URL answers; returns the URL."""
        url = self.url(path, host)
        self.pages[url] = reply
        return url

    def page(
        self,
        path: str,
        body: str | bytes = "<p>page</p>",
        host: str = "127.0.0.1",
        status: int = 200,
        **headers: str,
    ) -> str:
        """A page; header names are written with underscores."""
        return self.put(path, self.reply(status, body, **headers), host)

    def redirect(self, path: str, to: str, host: str = "127.0.0.1", status: int = 301) -> str:
        return self.page(path, "", host, status, location=to)

    @staticmethod
    def reply(status: int = 200, body: str | bytes = "", **headers: str) -> bytes:
        data = body.encode() if isinstance(body, str) else body
        given = {"content_type": "text/html; charset=utf-8", **headers}
        lines = [f"{name.replace('_', '-')}: {value}" for name, value in given.items()]
        lines.append(f"content-length: {len(data)}")
        return f"HTTP/1.1 {status} X\r\n".encode() + "\r\n".join([*lines, "", ""]).encode() + data

    def slow(self, path: str, seconds: float, host: str = "127.0.0.1") -> str:
        """A page that takes its time."""

        def reply(_: Asked) -> bytes:
            self._closed.wait(seconds)
            return self.reply(200, "page")

        return self.put(path, reply, host)

    def asked(self, *, robots: bool = False) -> list[str]:
        """The URLs asked for, in order; robots.txt only if wanted."""
        return [
            f"http://{one.host}{one.path}"
            for one in self.log
            if robots or one.path != "/robots.txt"
        ]

    def paths(self, *, robots: bool = False) -> list[str]:
        return [one.path for one in self.log if robots or one.path != "/robots.txt"]

    def gaps(self, *hosts: str) -> list[float]:
        """Seconds from the end of a request for a page to the start of the next; of all hosts."""
        wanted = {f"{host}:{self.port}" for host in hosts}
        mine = [
            one
            for one in self.log
            if one.path != "/robots.txt" and (not hosts or one.host in wanted)
        ]
        mine.sort(key=lambda one: one.started)
        return [b.started - a.ended for a, b in pairwise(mine)]

    def close(self) -> None:
        self._closed.set()
        for listener in self._listeners.values():
            with contextlib.suppress(OSError):
                listener.shutdown(socket.SHUT_RDWR)
            listener.close()

    def _accept(self, listener: socket.socket) -> None:
        while not self._closed.is_set():
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with connection, connection.makefile("rb") as lines, contextlib.suppress(OSError):
            connection.settimeout(20)
            while not self._closed.is_set() and (first := lines.readline()):
                headers = {}
                while line := lines.readline().strip():
                    name, _, value = line.decode("latin-1").partition(":")
                    headers[name.lower()] = value.strip()
                path = first.split(b" ")[1].decode()
                one = Asked(headers.get("host", ""), path, headers, time.monotonic())
                self.log.append(one)
                reply = self.pages.get(f"http://{one.host}{path}", self.reply(404))
                try:
                    data = reply(one) if callable(reply) else reply
                finally:
                    # Not after sending: by then the client may have counted for a while.
                    one.ended = time.monotonic()
                if not data:
                    return
                connection.sendall(data)
                if not data.startswith(b"HTTP/1.1"):
                    return


@pytest.fixture
def site() -> Iterator[Site]:
    site = Site()
    yield site
    site.close()


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Host names by address: names["a.test"] = "127.0.0.2"."""
    known: dict[str, str] = {}
    real = socket.getaddrinfo
    monkeypatch.setattr(
        socket, "getaddrinfo", lambda host, *a, **k: real(known.get(host, host), *a, **k)
    )
    return known


class Round:
    """A crawl with fetch lists given by URL, fetched and parsed without delay unless said."""

    def __init__(self, given: GivenCrawl) -> None:
        self.given = given
        self.crawl = given.crawl
        self.now = NOW

    def config(self, **properties: Any) -> CrawlConfig:
        quick = {
            "http.agent.name": "testbot",
            "http.filter.ipaddress.exclude": "",
            "http.timeout": 5000,
            "fetcher.server.delay": 0.0,
            "fetcher.exceptions.per.queue.delay": 0.0,
            "parser.processes": 0,
            "urlfilter.regex.rules": "+.",
        }
        return self.given.config(**{**quick, **properties})

    def lists(self, *lists: Sequence[str | Row], name: str = "20260301000000") -> str:
        """A generated segment with these lists; rows or URLs."""
        segment = self.crawl.new_segment(name)
        for number, urls in enumerate(lists):
            rows = [self._generated(url, number, at) for at, url in enumerate(urls)]
            segment.write_part("crawl_generate", number, "g.0000", rows)
        segment.publish(
            {"lists": [{"list": n} for n in range(len(lists))], "created": NOW.isoformat()}
        )
        return name

    def _generated(self, url: str | Row, number: int, position: int) -> Row:
        row = {"url": url} if isinstance(url, str) else dict(url)
        return {
            **self.given.identity(row["url"]),
            "list": number,
            "position": position,
            "score": 1.0,
            "status": "db_unfetched",
            "fetch_time": NOW,
            "interval_s": 2_592_000,
            "retries": 0,
            **row,
        }

    def fetch(
        self, segment: str, conf: Mapping[str, Any] | None = None, **options: Any
    ) -> JobReport:
        started = time.monotonic()
        clock = options.pop(
            "clock", lambda: self.now + timedelta(seconds=time.monotonic() - started)
        )
        return fetch(self.crawl, self.config(**(conf or {})), segment, clock, **options)

    def parse(
        self, segment: str, conf: Mapping[str, Any] | None = None, **options: Any
    ) -> JobReport:
        return parse(self.crawl, self.config(**(conf or {})), segment, self.now, **options)

    def rows(self, segment: str, part: str) -> list[Row]:
        """The rows of a part that count."""
        found = self.crawl.segment(segment)
        return [
            row
            for file in found.part_files(part)
            for row in pq.read_table(self.crawl.files.location(file.path)).to_pylist()
        ]

    def fetched(self, segment: str) -> dict[str, Row]:
        """crawl_fetch by URL; each URL is there once."""
        rows = self.rows(segment, "crawl_fetch")
        assert len({row["url"] for row in rows}) == len(rows)
        return {row["url"]: row for row in rows}

    def rejected(self, segment: str) -> dict[str, Row]:
        return {row["url"]: row for row in self.rows(segment, "rejected")}

    def links(self, segment: str) -> list[tuple[str, str, str]]:
        """(kind, from, to), sorted."""
        rows = self.rows(segment, "crawl_parse")
        return sorted((row["kind"], row["from_url"], row["to_url"]) for row in rows)


@pytest.fixture
def round_of(given: GivenCrawl) -> Round:
    return Round(given)
