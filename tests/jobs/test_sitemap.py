"""sitemap: what sitemaps name joins the crawldb (Nutch rules 20)."""

import gzip
import threading
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pyarrow.parquet as pq
import pytest

from crawl_ops.errors import SeedError, StoppedError
from crawl_ops.jobs.sitemap import sitemap
from crawl_ops.model import JobReport
from crawl_ops.storage.manifest import FileEntry
from crawl_ops.storage.schema import table_of

XML = '<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{}</urlset>'
INDEX = "<sitemapindex>{}</sitemapindex>"


class Site(ThreadingHTTPServer):
    """Paths with their bodies; an int is a status, text that begins with / a redirect."""

    daemon_threads = True

    def __init__(self, address):
        self.paths = {}
        self.asked = []
        super().__init__((address, 0), Handler)
        self.origin = f"http://{address}:{self.server_address[1]}"
        self.thread = threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True)
        self.thread.start()


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        self.server.asked.append(self.path)
        body = self.server.paths.get(self.path, 404)
        if isinstance(body, int):
            self.send_response(body)
            body = b""
        elif isinstance(body, str) and body.startswith("/"):
            self.send_response(301)
            self.send_header("Location", body)
            body = b""
        else:
            self.send_response(200)
            body = body if isinstance(body, bytes) else body.encode()
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format, *args):  # noqa: A002
        """Nothing."""


@pytest.fixture
def site():
    made = []

    def start(address="127.0.0.1"):
        made.append(Site(address))
        return made[-1]

    yield start
    for one in made:
        one.shutdown()
        one.server_close()
        one.thread.join(5)


def urls(origin, *paths):
    return "".join(f"<url><loc>{origin}{path}</loc></url>" for path in paths)


def run(given, *sitemaps, conf=None, **options):
    properties = {
        "http.agent.name": "testbot",
        "http.filter.ipaddress.exclude": "",
        "fetcher.server.delay": 0.0,
        **(conf or {}),
    }
    config = given.config(**properties)
    return sitemap(given.crawl, config, sitemaps, lambda: given.now, **options)


def test_a_location_is_a_new_url(given, site):
    server = site()
    server.paths["/s.xml"] = XML.format(
        f"<url><loc>{server.origin}/a?b&amp;c</loc><lastmod>2026-02-01</lastmod>"
        "<changefreq>weekly</changefreq><priority>0.8</priority></url>"
        f"<url><loc>{server.origin}/plain</loc></url>"
        f"<url><loc>{server.origin}/x.gif</loc></url>"
        "<url><loc>http://elsewhere.example/</loc></url>"
        f"<url><loc>{server.origin}/zero</loc><lastmod>2126-02-01</lastmod>"
        "<changefreq>never</changefreq><priority>0.0</priority></url>"
    )
    report = run(given, f"{server.origin}/s.xml")
    assert report.counts == {
        "sitemaps": 1,
        "locations": 3,
        "injected": 3,
        "rejected.regex": 1,
        "rejected.sitemap.strict.parsing": 1,
    }
    row = given.row(f"{server.origin}/a?b&c")
    assert (row["status"], row["fetch_time"]) == ("db_unfetched", given.now)
    assert (row["interval_s"], row["score"]) == (604_800, pytest.approx(0.8))
    assert row["modified_time"] == datetime(2026, 2, 1, tzinfo=UTC)
    row = given.row(f"{server.origin}/plain")
    assert (row["interval_s"], row["score"], row["modified_time"]) == (2_592_000, 0.5, None)
    row = given.row(f"{server.origin}/zero")
    assert (row["interval_s"], row["score"], row["modified_time"]) == (7_776_000, 0.5, None)


def test_intervals_are_kept_within_bounds(given, site):
    server = site()
    server.paths["/s.xml"] = XML.format(
        f"<url><loc>{server.origin}/a</loc><changefreq>hourly</changefreq></url>"
    )
    run(given, f"{server.origin}/s.xml", conf={"db.fetch.schedule.adaptive.min_interval": 7200})
    assert given.row(f"{server.origin}/a")["interval_s"] == 7200


def test_known_urls_change_only_when_asked(given, site):
    server = site()
    url = f"{server.origin}/a"
    given.known([{"url": url, "status": "db_fetched", "score": 3.0, "signature": b"s" * 16}])
    server.paths["/s.xml"] = XML.format(
        f"<url><loc>{url}</loc><changefreq>daily</changefreq><priority>0.9</priority></url>"
    )
    assert run(given, f"{server.origin}/s.xml").counts["injected"] == 0
    row = given.row(url)
    assert (row["status"], row["score"], row["interval_s"]) == ("db_fetched", 3.0, 2_592_000)
    run(given, f"{server.origin}/s.xml", conf={"sitemap.url.overwrite.existing": True})
    row = given.row(url)
    assert (row["status"], row["interval_s"]) == ("db_fetched", 86_400)
    assert row["score"] == pytest.approx(0.9)
    assert row["signature"] == b"s" * 16


def test_indexes_are_followed_and_gzip_is_undone(given, site):
    server, other = site(), site("127.0.0.2")
    server.paths |= {
        "/index.xml": INDEX.format(
            f"<sitemap><loc>{server.origin}/deep/index.xml</loc></sitemap>"
            f"<sitemap><loc>{server.origin}/moved.xml</loc></sitemap>"
            f"<sitemap><loc>{other.origin}/s.xml</loc></sitemap>"
            f"<sitemap><loc>{server.origin}/none.xml</loc></sitemap>"
            f"<sitemap><loc>{server.origin}/index.xml</loc></sitemap>"
        ),
        "/deep/index.xml": INDEX.format(f"<sitemap><loc>{server.origin}/s.xml.gz</loc></sitemap>"),
        "/s.xml.gz": gzip.compress(XML.format(urls(server.origin, "/a", "/b")).encode()),
        "/moved.xml": "/at/last.xml",
        "/at/last.xml": XML.format(urls(server.origin, "/c")),
    }
    report = run(given, f"{server.origin}/index.xml")
    assert report.counts["sitemaps"] == 4
    assert report.counts["injected"] == 3
    assert report.counts["failed.notfound"] == 1
    assert report.counts["rejected.sitemap.strict.parsing"] == 1
    assert other.asked == []
    told = {one["url"].partition(server.origin)[2]: one for one in report.details["sitemaps"]}
    assert told["/none.xml"] == {
        "url": f"{server.origin}/none.xml",
        "outcome": "notfound",
        "locations": 0,
        "reason": "http 404",
    }
    other.paths["/s.xml"] = XML.format(urls(other.origin, "/d"))
    loose = run(given, f"{server.origin}/index.xml", conf={"sitemap.strict.parsing": False})
    assert loose.counts["injected"] == 1


def test_indexes_that_name_each_other_come_to_an_end(given, site):
    server = site()
    for number in range(20):
        named = f"<sitemap><loc>{server.origin}/i{number + 1}.xml</loc></sitemap>"
        server.paths[f"/i{number}.xml"] = INDEX.format(named)
    assert run(given, f"{server.origin}/i0.xml").counts["sitemaps"] == 4


def test_robots_txt_is_obeyed(given, site):
    server, down = site(), site("127.0.0.2")
    server.paths |= {
        "/robots.txt": "User-agent: *\nDisallow: /private/",
        "/private/s.xml": XML.format(urls(server.origin, "/private/a")),
    }
    down.paths["/robots.txt"] = 503
    report = run(given, f"{server.origin}/private/s.xml", f"{down.origin}/s.xml")
    assert report.counts == {
        "sitemaps": 0,
        "locations": 0,
        "injected": 0,
        "failed.robots_denied": 1,
        "failed.robots_deferred": 1,
    }
    assert (server.asked, down.asked) == (["/robots.txt"], ["/robots.txt"])


def test_a_host_gives_so_many_sitemaps_and_no_more(given, site):
    server = site()
    for name in "abc":
        server.paths[f"/{name}.xml"] = XML.format(urls(server.origin, f"/{name}"))
    report = run(
        given,
        *(f"{server.origin}/{name}.xml" for name in "abc"),
        conf={"sitemap.max.per.host": 2},
    )
    assert report.counts["failed.sitemap.max.per.host"] == 1
    assert report.counts["injected"] == 2


def known_host(given, server):
    identity = given.identity(server.origin + "/")
    counts = (
        "unfetched fetched notmodified redir_temp redir_perm gone duplicate orphan parse_failed "
        "failing failed_fetches"
    )
    row = {
        **{name: identity[name] for name in ("host", "domain", "slot")},
        **dict.fromkeys(counts.split(), 0),
        "robots_origin": server.origin,
        "robots_content": server.paths["/robots.txt"].encode(),
    }
    commit = given.crawl.table("hostdb").begin("updatedb", "given", given.config(), given.now)
    for bucket in commit.buckets():
        path = commit.data_path(bucket)
        target = given.crawl.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(table_of("hostdb", [row]), target)
        commit.replace(bucket, FileEntry(bucket.lo, bucket.hi, path, 1, target.stat().st_size))
    commit.publish(JobReport("updatedb"))


def test_the_sitemaps_of_known_hosts(given, site):
    server = site()
    server.paths |= {
        "/robots.txt": f"Sitemap: {server.origin}/named.xml",
        "/named.xml": XML.format(urls(server.origin, "/a")),
        "/sitemap.xml": XML.format(urls(server.origin, "/b")),
    }
    known_host(given, server)
    assert run(given, from_hosts=True).counts["injected"] == 2
    assert run(given, from_hosts=True, conf={"sitemap.url.default.sitemap.xml": False}).counts == {
        "sitemaps": 1,
        "locations": 1,
        "injected": 0,
    }


def test_files(given, site, tmp_path):
    server = site()
    server.paths["/s.xml"] = XML.format(urls(server.origin, "/a"))
    listed = tmp_path / "list.txt"
    listed.write_text(f"# sitemaps\n\n{server.origin}/s.xml\n")
    own = tmp_path / "own.xml.gz"
    own.write_bytes(gzip.compress(XML.format(urls("http://b.example", "/x")).encode()))
    report = run(given, str(listed), str(own))
    assert (report.counts["sitemaps"], report.counts["injected"]) == (2, 2)
    assert given.row("http://b.example/x")["status"] == "db_unfetched"


def test_a_file_alone_needs_no_agent(given, tmp_path):
    own = tmp_path / "own.xml"
    own.write_text(XML.format(urls("http://b.example", "/x")))
    assert run(given, str(own), conf={"http.agent.name": ""}).counts["injected"] == 1


@pytest.mark.parametrize("content", [None, b"<html></html>"])
def test_a_file_that_is_no_sitemap(given, tmp_path, content):
    file = tmp_path / "s.xml"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(SeedError, match=r"s\.xml"):
        run(given, str(file))


def test_asked_again_nothing_changes(given, site):
    server = site()
    server.paths["/s.xml"] = XML.format(urls(server.origin, "/a"))
    first = run(given, f"{server.origin}/s.xml", operation="sitemap:1")
    again = run(given, f"{server.origin}/s.xml", operation="sitemap:1")
    assert again.counts == first.counts
    assert server.asked.count("/s.xml") == 1


def test_stopped_nothing_has_changed(given, site):
    server = site()
    stop = threading.Event()
    stop.set()
    with pytest.raises(StoppedError):
        run(given, f"{server.origin}/s.xml", stop=stop)
    assert server.asked == []
    assert given.crawl.table("crawldb").current().rows == 0


def test_a_host_is_asked_at_its_pace(given, site):
    server = site()
    for name in "ab":
        server.paths[f"/{name}.xml"] = XML.format(urls(server.origin, f"/{name}"))
    conf = {"fetcher.server.delay": 0.3}
    report = run(given, *(f"{server.origin}/{name}.xml" for name in "ab"), conf=conf)
    assert report.seconds >= 0.6  # robots.txt, then two sitemaps
