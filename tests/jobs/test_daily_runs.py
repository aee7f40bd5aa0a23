"""Seven daily runs with outages, stops and repeated steps end as seven runs without."""

import threading
from datetime import timedelta
from itertools import count

import pytest

from crawl_ops.config.load import load
from crawl_ops.errors import StoppedError
from crawl_ops.jobs.fetch import fetch
from crawl_ops.jobs.generate import generate
from crawl_ops.jobs.inject import inject
from crawl_ops.jobs.parse import parse
from crawl_ops.jobs.updatedb import updatedb

DAY = timedelta(days=1)
DEPTHS = 3
A, B = "127.0.0.1", "127.0.0.2"
CONF = {
    "http.agent.name": "testbot",
    "http.filter.ipaddress.exclude": "",
    "http.timeout": 5000,
    "fetcher.server.delay": 0.0,
    "fetcher.exceptions.per.queue.delay": 0.0,
    "parser.processes": 0,
    "urlfilter.regex.rules": "+.",
    "db.fetch.interval.default": 72_000,  # twenty hours: every page is due every day
    "duckdb.threads": 1,
}
LINKS = {
    (A, "/"): [(A, "/1"), (A, "/2"), (B, "/")],
    (A, "/1"): [(A, "/deep"), (B, "/1")],
    (B, "/"): [(B, "/1"), (B, "/2")],
    (B, "/2"): [(A, "/gone")],
}
GOOD = [*((A, path) for path in ("/", "/1", "/2", "/deep")), *((B, p) for p in ("/", "/1", "/2"))]


@pytest.fixture
def web(site):
    """The pages; those of hosts in `down` answer 500."""
    site.listen(B)
    site.down = set()

    def page(host, path):
        links = "".join(
            f'<a href="{site.url(p, h)}">{p}</a>' for h, p in LINKS.get((host, path), ())
        )

        def reply(_):
            return site.reply(500) if host in site.down else site.reply(200, f"<p>{path}{links}")

        return reply

    for host, path in GOOD:
        site.put(path, page(host, path), host)
    return site


class Daily:
    """A run a day on one crawl folder, step by step as the DAG has them."""

    def __init__(self, given, web):
        self.given, self.web = given, web
        self.crawl, self.config = given.crawl, load(None, CONF)
        self.day = given.now

    def run(self, number, *, stops=False, twice=False):
        now = self.day + number * DAY
        run_id = f"scheduled__{now.isoformat()}"
        seeds = [self.web.url("/")]
        inject(self.crawl, self.config, seeds, now, operation=f"inject:{run_id}")
        for depth in range(1, DEPTHS + 1):
            at = now + timedelta(minutes=depth)
            named = {"run_id": run_id, "depth": depth, "redo": "none"}
            segment = generate(self.crawl, self.config, at, **named).segment
            if segment is None:
                return
            ticks = count()
            clock = lambda at=at, ticks=ticks: at + timedelta(milliseconds=next(ticks))  # noqa: E731
            for _ in range(1 + twice):
                if stops:
                    self._stopped(segment, clock)
                fetch(self.crawl, self.config, segment, clock)
                parse(self.crawl, self.config, segment, at)
                updatedb(self.crawl, self.config, [segment], at + timedelta(seconds=50))
                assert generate(self.crawl, self.config, at, **named).segment == segment

    def _stopped(self, segment, clock):
        stop = threading.Event()
        stop.set()
        if self.crawl.segment(segment).done("fetch", 0) is None:
            with pytest.raises(StoppedError):
                fetch(self.crawl, self.config, segment, clock, stop=stop)

    def end(self):
        """The crawldb without what tells when something was asked for."""
        kept = ("url", "status", "retries", "signature", "depth", "interval_s", "reason")
        return sorted(tuple(row[name] for name in kept) for row in self.given.rows())


def test_seven_daily_runs_with_outages_end_as_without(another_crawl, web):
    straight = Daily(another_crawl("straight"), web)
    for number in range(7):
        straight.run(number)
    asked = len(web.asked())
    troubled = Daily(another_crawl("troubled"), web)
    outages = {0: {B}, 1: {A, B}, 3: {A}, 4: {B}}
    for number in range(7):
        web.down = outages.get(number, set())
        troubled.run(number, stops=number % 2 == 0, twice=number in (2, 5))
    assert troubled.end() == straight.end()
    statuses = {row[0]: row[1] for row in troubled.end()}
    assert statuses == {
        **{web.url(path, host): "db_notmodified" for host, path in GOOD},
        web.url("/gone"): "db_gone",
    }
    # What was down was asked for less often, and nothing more often.
    assert len(web.asked()) - asked < asked
