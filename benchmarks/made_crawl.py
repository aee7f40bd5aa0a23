"""Crawls of any size made by SQL, and how commands on them are measured.

    python benchmarks/made_crawl.py FOLDER URLS [PAGES LINKS]      (the other scripts run it)

A crawldb of N URLs in as many buckets as inject would make: some 74 characters a URL, hosts with
shares of about 1 / rank, 65 % unfetched, 25 % fetched. Keys and slots are DuckDB's hash(): good for
jobs that take them from the tables, not for inject.
"""

import json
import os
import resource
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

import duckdb

from crawl_ops.config.load import load
from crawl_ops.model import JobReport
from crawl_ops.storage.crawl_dir import CrawlDir
from crawl_ops.storage.manifest import FileEntry, slots_of
from crawl_ops.storage.schema import column_types
from crawl_ops.urls.chain import UrlChain

NOW = datetime(2026, 3, 1, tzinfo=UTC)
ROW_GROUP = 122_880
LINKS_A_FILE = 1_000_000
PEAKS: dict[str, float] = {}  # of the last process run under a name, in MB
MACROS = """
CREATE MACRO share(b, i) AS (hash(i * 4096 + b) >> 11)::DOUBLE / 9007199254740992;
CREATE MACRO rank_of(b, i) AS floor(pow({hosts}, share(b, i)))::BIGINT * {buckets} + b;
CREATE MACRO host_of(rank) AS 'www.site' || rank || '.com';
CREATE MACRO word(h, n) AS ['ba', 'delta', 'fir', 'golden', 'lumen', 'mi', 'north', 'pen', 'rabbit',
    'sun', 'tor', 'umbra', 'viola', 'wind', 'xenon', 'yarrow'][((h >> n) % 16)::BIGINT + 1];
CREATE MACRO words(h) AS word(h, 8) || '/' || word(h, 12) || '-' || word(h, 16) || '-'
    || word(h, 20) || '-' || word(h, 24);
CREATE MACRO url_of(rank, b, i) AS 'https://' || host_of(rank) || '/' || words(hash(i * 4096 + b))
    || '/' || i * {buckets} + b || '.html';
CREATE MACRO slot_of(rank, b) AS ({width} * b + (hash(rank) % {width})::BIGINT)::USMALLINT;
"""
URLS = """
SELECT hash(url) AS k, slot_of(rank, b) AS slot, url, host_of(rank) AS host,
    'site' || rank || '.com' AS domain,
    CASE WHEN h % 100 < 65 THEN 'db_unfetched' WHEN h % 100 < 90 THEN 'db_fetched'
         WHEN h % 100 < 94 THEN 'db_redir_perm' ELSE 'db_gone' END AS status,
    $now + to_days((h % 60)::INTEGER - 40) AS fetch_time,
    if(h % 100 >= 65, $now - to_days(30), NULL) AS fetched_time,
    if(h % 100 BETWEEN 65 AND 89, $now - to_days(30), NULL) AS modified_time,
    2592000 AS interval_s, 0 AS retries, (1000 / (1 + h % 100003))::FLOAT AS score,
    if(h % 100 BETWEEN 65 AND 89, unhex(printf('%032x', h % {signatures})), NULL) AS signature,
    if(h % 100 >= 65, 'success', NULL) AS protocol_status,
    if(h % 100 >= 65, 200, NULL) AS http_status,
    NULL AS reason, NULL AS etag, NULL AS last_modified,
    if(h % 100 BETWEEN 65 AND 89, 'text/html', NULL) AS content_type,
    (1 + h % 9) AS depth, NULL AS max_depth, NULL AS segment, NULL AS metadata
FROM (
    SELECT b, i, rank_of(b, i) AS rank, url_of(rank, b, i) AS url, hash(url) >> 3 AS h
    FROM (SELECT $b AS b, range AS i FROM range($rows))
)
ORDER BY host, url
"""
PAGES = """
SELECT c.*, 0 AS list, 'made' AS attempt FROM read_parquet({files}) AS c
WHERE status = 'db_unfetched' AND hash(k) % 10000000 < {chance}
"""
LINKS = """
SELECT hash(to_url) AS k, slot_of(rank, b) AS slot, to_url, host_of(rank) AS to_host,
    'site' || rank || '.com' AS to_domain, page.k AS from_k, page.url AS from_url,
    page.host AS from_host, 'made' AS attempt, 'link' AS kind, n % 30 AS position,
    'a link ' || n % 1000 AS anchor, NULL AS rel, (page.score / 30)::FLOAT AS score,
    page.depth + 1 AS depth, NULL AS max_depth, NULL AS interval_s, NULL AS modified_time,
    NULL AS metadata
FROM (
    SELECT n, (hash(n * 7) % {buckets})::BIGINT AS b,
        floor({rows} * 1.35 * pow((hash(n) >> 11)::DOUBLE / 9007199254740992, 1.5))::BIGINT AS i,
        rank_of(b, i) AS rank, url_of(rank, b, i) AS to_url
    FROM (SELECT range AS n FROM range({first}, {last}))
) JOIN page ON page.number = (hash(n // 30) % {pages})::BIGINT
ORDER BY slot, k
"""


class MadeCrawl:
    """A crawl of `urls` URLs in a folder."""

    def __init__(self, folder: Path, urls: int) -> None:
        self.urls = urls
        self.peak_mib = 0.0
        if not (folder / "crawl.json").exists():
            folder.mkdir(parents=True)
            (folder / "crawl.json").write_text(json.dumps({"format": 1, "seed": 7}))
        self.crawl = CrawlDir.open(folder)
        config = load(None, {})
        commit = self.crawl.table("crawldb").begin("inject", "inject:made", config, NOW)
        commit.spread(urls)
        self.bits = commit.bits
        self.buckets = 1 << self.bits
        self.rows = urls // self.buckets

    @classmethod
    def apart(cls, work: Path, urls: int) -> "MadeCrawl":
        """A crawl that another process makes, unless it is there."""
        folder = work / f"crawl-{urls}"
        if not (folder / "hostdb" / "manifests" / "00000001.json").exists():
            subprocess.run([sys.executable, __file__, str(folder), str(urls)], check=True)
        return cls(folder, urls)

    def make(self) -> None:
        """Write crawldb and hostdb."""
        self._crawldb()
        self._hostdb()

    def connection(self) -> duckdb.DuckDBPyConnection:
        connection = duckdb.connect(
            config={"threads": 2, "memory_limit": "3GB", "temp_directory": str(self.crawl.root)}
        )
        connection.execute("SET TimeZone = 'UTC'")
        names = {
            "hosts": max(2, self.urls // 50 // self.buckets),
            "buckets": self.buckets,
            "width": 65536 >> self.bits,
        }
        connection.execute(MACROS.format(**names))
        return connection

    def _crawldb(self) -> None:
        config = load(None, {})
        commit = self.crawl.table("crawldb").begin("inject", "inject:made", config, NOW)
        commit.spread(self.urls)
        commit.filters = UrlChain(config, "inject").filters
        with self.connection() as connection:
            urls = URLS.format(signatures=max(2, int(self.urls * 0.23)))
            for b, bucket in enumerate(commit.buckets()):
                path = commit.data_path(bucket)
                rows = write(
                    connection,
                    urls,
                    "crawldb",
                    self.crawl.root / path,
                    ROW_GROUP,
                    b=b,
                    rows=self.rows,
                    now=NOW,
                )
                size = (self.crawl.root / path).stat().st_size
                commit.replace(bucket, FileEntry(bucket.lo, bucket.hi, path, rows, size))
        commit.publish(JobReport("inject"))

    def _hostdb(self) -> None:
        """Hosts counted as updatedb would have left them."""
        commit = self.crawl.table("hostdb").begin("updatedb", "updatedb:made", load(None, {}), NOW)
        commit._bits = self.bits
        crawldb = self.crawl.table("crawldb").current()
        with self.crawl.session(load(None, {})) as session:
            for number in range(self.buckets):
                lo, hi = slots_of(number, self.bits)
                session.bind_table("crawldb", crawldb, lo, hi)
                session.create("counted", "hostdb_counted", lo=lo, hi=hi)
                select = (
                    "SELECT *, 0 AS failed_fetches, NULL AS last_good_time,"
                    " NULL AS last_fetch_time,"
                    " NULL AS last_reason, NULL AS response_ms, NULL AS robots_origin,"
                    " NULL AS robots_time, NULL AS robots_outcome, NULL AS robots_content,"
                    " NULL AS crawl_delay_s FROM counted ORDER BY host"
                )
                bucket = crawldb.bucket(lo, hi)
                path = commit.data_path(bucket)
                commit.add(session.write(select, "hostdb", bucket, path, "base"))
        details = {"crawldb_version": crawldb.version}
        commit.publish(JobReport("updatedb", None, {}, details=details))

    def segment(self, name: str, pages: int, links: int) -> str:
        """A segment with so many fetched pages and links, some 70 % of them to known URLs."""
        segment = self.crawl.new_segment(name)
        files = [
            str(self.crawl.root / entry.path)
            for entry in self.crawl.table("crawldb").version(1).files
        ]
        segment.note_filters(UrlChain(load(None, {})).filters)
        lists = [{"list": 0, "urls": pages}]
        segment.publish({"lists": lists, "created": NOW.isoformat(), "crawldb_version": 1})
        with self.connection() as connection:
            chance = int(pages / self.urls / 0.65 * 10_000_000)
            connection.execute(
                "CREATE TABLE page AS SELECT *, row_number() OVER () - 1 AS number FROM ("
                + PAGES.format(files=files, chance=chance)
                + ")"
            )
            found = connection.execute("SELECT count(*) FROM page").fetchall()[0][0]
            folder = self.crawl.root / segment.folder
            self._fetched(connection, folder)
            for first in range(0, links, LINKS_A_FILE):
                select = LINKS.format(
                    buckets=self.buckets,
                    rows=self.rows,
                    first=first,
                    last=min(links, first + LINKS_A_FILE),
                    pages=found,
                )
                stem = f"made.{first // LINKS_A_FILE:04}p"
                target = folder / "crawl_parse" / "list-000" / f"{stem}.parquet"
                write(connection, select, "crawl_parse", target, 32_768)
        stems = [f"made.{n:04}" for n in range(links // LINKS_A_FILE + 2)]
        self.crawl.files.put(
            f"{segment.folder}/done/fetch-000.json", json.dumps({"stems": stems}).encode()
        )
        segment.finish("parse", 0, {"counts": {}})
        return name

    def _fetched(self, connection: duckdb.DuckDBPyConnection, folder: Path) -> None:
        fetched = (
            "SELECT * REPLACE ($now AS fetch_time, 200 AS http_status,"
            " 'success' AS protocol_status),"
            " 'fetch_success' AS fetch_status, NULL AS via, 120 AS response_ms, 20000 AS bytes,"
            " NULL AS truncated, NULL AS redirect_url, NULL AS repr_url, 0 AS hops,"
            " NULL AS ip_address FROM page"
        )
        parsed = (
            "SELECT * REPLACE ($now AS fetch_time, unhex(printf('%016x%016x', k, k)) AS signature),"
            " 'success' AS parse_status, 'page' AS kind, 'A title' AS title, url AS base_url,"
            " 'utf-8' AS charset, 'en' AS language, NULL AS canonical_url, NULL AS refresh_url,"
            " false AS noindex, false AS nofollow, false AS noarchive, 30 AS outlinks_found,"
            " 30 AS outlinks_kept, NULL AS outlinks_rejected, NULL AS truncated FROM page"
        )
        listed = "SELECT *, number AS position FROM page WHERE $now IS NOT NULL"
        for part, select, stem in (
            ("crawl_generate", listed, "made"),
            ("crawl_fetch", fetched, "made.0000"),
            ("parse_data", parsed, "made.0000p"),
        ):
            target = folder / part / "list-000" / f"{stem}.parquet"
            write(connection, select, part, target, ROW_GROUP, now=NOW)

    def floor(self) -> float:
        """CPU seconds to read and write the crawldb's files once, in a process of its own."""
        paths = [
            str(self.crawl.root / entry.path)
            for entry in self.crawl.table("crawldb").version(1).files
        ]
        code = (
            "import duckdb, sys\n"
            "con = duckdb.connect(config={'threads': 2, 'memory_limit': '1GB'})\n"
            "for path in sys.argv[2:]:\n"
            "    con.execute(f\"COPY (FROM read_parquet('{path}')) TO '{sys.argv[1]}' \"\n"
            '        "(FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1)")\n'
        )
        target = self.crawl.root / "scratch" / "copy.parquet"
        target.parent.mkdir(exist_ok=True)
        spent, _ = run("floor: copy the crawldb", [sys.executable, "-c", code, str(target), *paths])
        target.unlink()
        return spent

    def segment_apart(self, pages: int, links: int) -> str:
        """The segment, made by another process: what it takes is not that of the commands."""
        name = f"made-{pages}-{links}"
        if name not in self.crawl.segments():
            numbers = [str(number) for number in (self.urls, pages, links)]
            subprocess.run([sys.executable, __file__, str(self.crawl.root), *numbers], check=True)
        return name

    @property
    def bytes(self) -> int:
        return sum(entry.bytes for entry in self.crawl.table("crawldb").current().files)

    def verb(self, *arguments: str, conf: list[str] | None = None) -> tuple[float, dict]:
        """Run a command on the crawl; CPU seconds and its report. peak_mib: what it took."""
        options = [part for value in conf or [] for part in ("-D", value)]
        command = [sys.executable, "-m", "crawl_ops", "--dir", str(self.crawl.root), *options]
        named = [*command, "--json", *arguments]
        spent, self.peak_mib, output = measured(arguments[0], named)
        return spent, json.loads(output.splitlines()[-1])


def write(
    connection: duckdb.DuckDBPyConnection,
    select: str,
    table: str,
    target: Path,
    group: int,
    **given: object,
) -> int:
    """Write a SELECT as one file of a declared table; returns its rows."""
    target.parent.mkdir(parents=True, exist_ok=True)
    columns = ", ".join(f"CAST({n} AS {kind}) AS {n}" for n, kind in column_types(table).items())
    done = connection.execute(
        f"COPY (SELECT {columns} FROM ({select})) TO '{target}' (FORMAT parquet,"
        f" COMPRESSION zstd, COMPRESSION_LEVEL 1, ROW_GROUP_SIZE {group})",
        given or None,
    )
    return done.fetchall()[0][0]


def run(name: str, command: list[str]) -> tuple[float, bytes]:
    """Run a command and print what it took; CPU seconds and its output."""
    cpu, _, output = measured(name, command)
    return cpu, output


def measured(name: str, command: list[str]) -> tuple[float, float, bytes]:
    """`run` with its peak memory in MiB in the middle."""
    started = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.PIPE)
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    cpu = usage.ru_utime + usage.ru_stime
    seconds = time.monotonic() - started
    line(name, seconds, cpu, usage.ru_maxrss / 1024)
    PEAKS[name] = usage.ru_maxrss * 1024 / 1e6
    if status:
        sys.exit(f"{name} failed with status {status}")
    return cpu, usage.ru_maxrss / 1024, output


def line(name: str, seconds: float, cpu: float, peak_mib: float) -> None:
    print(f"{name:<32}{seconds:>9.2f} s{cpu:>9.2f} CPU-s{peak_mib:>9.0f} MiB", flush=True)


def own_cpu() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


if __name__ == "__main__":
    given = MadeCrawl(Path(sys.argv[1]), int(sys.argv[2]))
    if len(sys.argv) == 3:
        given.make()
    else:
        pages_, links_ = map(int, sys.argv[3:])
        given.segment(f"made-{pages_}-{links_}", pages_, links_)
