"""robots.txt in a fetch: obeyed, waited for, and what a site is that cannot be reached."""

import socket
import time

import pytest

OTHER = "127.0.0.2"


def robots(site, text, host="127.0.0.1", **more):
    site.page("/robots.txt", text, host, content_type="text/plain", **more)


def test_what_is_disallowed_is_gone_with_the_line(site, round_of):
    robots(site, "User-agent: testbot\nDisallow: /no\n\nUser-agent: *\nDisallow: /")
    yes, no = site.page("/yes"), site.page("/no")
    segment = round_of.lists([yes, no])
    report = round_of.fetch(segment)
    row = round_of.fetched(segment)[no]
    assert (row["fetch_status"], row["protocol_status"]) == ("fetch_gone", "robots_denied")
    assert row["reason"] == f"robots.txt of {site.url('')}: Disallow: /no"
    assert site.paths() == ["/yes"]
    assert report.counts == {"fetch_gone": 1, "fetch_success": 1}


def test_robots_is_asked_once_and_kept_for_the_hostdb(site, round_of):
    robots(site, "User-agent: *\nDisallow: /no\nCrawl-delay: 0.01")
    segment = round_of.lists([site.page(f"/{n}") for n in range(20)])
    round_of.fetch(segment, {"fetcher.threads.per.queue": 5})
    assert site.paths(robots=True).count("/robots.txt") == 1
    (row,) = round_of.rows(segment, "robots")
    assert (row["origin"], row["outcome"], row["http_status"]) == (site.url(""), "rules", 200)
    assert row["crawl_delay_s"] == pytest.approx(0.01)
    assert row["content"].startswith(b"User-agent")


def test_crawl_delay_is_obeyed_from_the_first_page_on(site, round_of):
    robots(site, "User-agent: *\nCrawl-delay: 0.3")
    segment = round_of.lists([site.page(f"/{n}") for n in range(4)])
    round_of.fetch(segment)
    assert len(site.gaps()) == 3
    assert min(site.gaps()) >= 0.299


def test_a_short_crawl_delay_is_raised(site, round_of):
    robots(site, "User-agent: *\nCrawl-delay: 0.01")
    segment = round_of.lists([site.page(f"/{n}") for n in range(3)])
    round_of.fetch(segment, {"fetcher.min.crawl.delay": 0.2})
    assert min(site.gaps()) >= 0.199


def test_a_crawl_delay_above_the_limit_skips_the_pages(site, round_of):
    robots(site, "User-agent: *\nCrawl-delay: 100")
    urls = [site.page(f"/{n}") for n in range(3)]
    segment = round_of.lists(urls)
    round_of.fetch(segment, {"fetcher.max.crawl.delay": 30})
    assert site.paths() == []
    rows = round_of.fetched(segment)
    assert {rows[url]["protocol_status"] for url in urls} == {"robots_denied"}
    assert "Crawl-delay 100 s is above" in rows[urls[0]]["reason"]


def test_of_two_hosts_in_a_queue_the_longer_delay_counts(site, round_of, names):
    names |= {"a.site.test": "127.0.0.1", "b.site.test": "127.0.0.1"}
    robots(site, "User-agent: *\nCrawl-delay: 0.3", "a.site.test")
    robots(site, "User-agent: *\nCrawl-delay: 0.1", "b.site.test")
    urls = [site.page(f"/{n}", host=f"{'ab'[n % 2]}.site.test") for n in range(6)]
    segment = round_of.lists(urls)
    round_of.fetch(segment, {"fetcher.queue.mode": "byDomain"})
    assert len(site.gaps()) == 5
    assert min(site.gaps()) >= 0.299


@pytest.mark.parametrize("status", [500, 503, 429])
def test_a_robots_that_is_deferred_is_asked_a_few_times_and_the_host_left(site, round_of, status):
    robots(site, "later", status=status)
    urls = [site.page(f"/{n}") for n in range(30)]
    segment = round_of.lists(urls)
    conf = {
        "http.robots.503.defer.visits.delay": 50,
        "http.robots.503.defer.visits.retries": 2,
        "fetcher.threads.per.queue": 4,
    }
    started = time.monotonic()
    report = round_of.fetch(segment, conf)
    assert site.paths(robots=True) == ["/robots.txt"] * 3
    assert round_of.fetched(segment) == {}
    left = round_of.rejected(segment)
    assert set(left) == set(urls)
    assert {row["rule"] for row in left.values()} == {"robots.txt deferred"}
    assert f"http {status}" in left[urls[0]]["detail"]
    assert report.counts == {"left.robots.txt deferred": 30}
    assert time.monotonic() - started < 10


def test_a_robots_that_comes_back_lets_everything_be_fetched(site, round_of):
    answers = iter([503, 503])
    site.put(
        "/robots.txt",
        lambda _: site.reply(next(answers, 404), "", retry_after="0"),
    )
    urls = [site.page(f"/{n}") for n in range(10)]
    segment = round_of.lists(urls)
    conf = {"http.robots.503.defer.visits.delay": 50}
    round_of.fetch(segment, conf)
    rows = round_of.fetched(segment)
    assert {rows[url]["fetch_status"] for url in urls} == {"fetch_success"}
    assert site.paths(robots=True).count("/robots.txt") == 3


def test_a_robots_that_says_to_come_much_later_is_not_waited_for(site, round_of):
    robots(site, "", status=503, retry_after="7200")
    segment = round_of.lists([site.page("/a")])
    started = time.monotonic()
    round_of.fetch(segment, {"http.robots.503.defer.visits.delay": 1000})
    assert time.monotonic() - started < 5
    assert "Retry-After" in round_of.rejected(segment)[site.url("/a")]["detail"]


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


def test_a_host_that_cannot_be_reached_has_failed_at_once_for_all_its_urls(site, round_of):
    dead = f"http://{OTHER}:{free_port()}"
    urls = [f"{dead}/{n}" for n in range(50)]
    good = [site.page(f"/{n}") for n in range(50)]
    segment = round_of.lists([url for pair in zip(urls, good, strict=True) for url in pair])
    started = time.monotonic()
    report = round_of.fetch(segment, {"fetcher.exceptions.per.queue.delay": 60.0})
    assert time.monotonic() - started < 20
    rows = round_of.fetched(segment)
    assert {rows[url]["fetch_status"] for url in good} == {"fetch_success"}
    assert {rows[url]["fetch_status"] for url in urls} == {"fetch_retry"}
    assert {rows[url]["protocol_status"] for url in urls} == {"exception"}
    assert "refused" in rows[urls[7]]["reason"]
    assert report.counts == {"fetch_retry": 50, "fetch_success": 50}


def test_a_name_that_does_not_exist_has_failed(site, round_of, names):
    names["nowhere.test"] = "no-such-host.invalid"
    segment = round_of.lists([f"http://nowhere.test:{site.port}/{n}" for n in range(5)])
    round_of.fetch(segment)
    assert {row["fetch_status"] for row in round_of.fetched(segment).values()} == {"fetch_retry"}
    assert "dns" in next(iter(round_of.fetched(segment).values()))["reason"]


@pytest.mark.parametrize("mode", ["byHost", "byDomain"])
def test_a_dead_port_or_host_does_not_cost_its_neighbours(site, round_of, names, mode):
    """The queue is the host's or the domain's; robots.txt is of one scheme, host and port."""
    names |= {"a.site.test": "127.0.0.1", "b.site.test": OTHER}
    dead = f"http://a.site.test:{free_port()}"
    good = [site.page(f"/{n}", host="a.site.test") for n in range(5)]
    gone = [f"{dead}/{n}" for n in range(5)]
    gone += [f"http://b.site.test:{site.port}/{n}" for n in range(5)]
    urls = [url for both in zip(gone, good + good, strict=True) for url in dict.fromkeys(both)]
    segment = round_of.lists(list(dict.fromkeys(urls)))
    round_of.fetch(segment, {"fetcher.queue.mode": mode})
    rows = round_of.fetched(segment)
    assert {rows[url]["fetch_status"] for url in good} == {"fetch_success"}
    assert {rows[url]["fetch_status"] for url in gone} == {"fetch_retry"}


def test_a_good_copy_in_the_hostdb_is_used(site, round_of):
    robots(site, "User-agent: *\nDisallow: /no")
    first = round_of.lists([site.page("/a")])
    round_of.fetch(first)
    round_of.parse(first)
    round_of.given.known([{"url": site.url("/a")}])
    round_of.given.update(first)
    robots(site, "", status=503)
    second = round_of.lists([site.page("/b"), site.page("/no")], name="20260301000001")
    round_of.fetch(second)
    assert site.paths(robots=True).count("/robots.txt") == 1
    rows = round_of.fetched(second)
    assert rows[site.url("/b")]["fetch_status"] == "fetch_success"
    assert rows[site.url("/no")]["protocol_status"] == "robots_denied"


def test_a_scheme_without_a_protocol_costs_its_own_url(site, round_of):
    good = site.page("/a")
    segment = round_of.lists(["ftp://127.0.0.1/x", good])
    round_of.fetch(segment)
    rows = round_of.fetched(segment)
    assert rows["ftp://127.0.0.1/x"]["protocol_status"] == "proto_not_found"
    assert rows["ftp://127.0.0.1/x"]["fetch_status"] == "fetch_retry"
    assert rows[good]["fetch_status"] == "fetch_success"
