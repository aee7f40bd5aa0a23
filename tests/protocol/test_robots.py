"""The robots.txt of an origin: asked for once, and what its absence means."""

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest

from crawl_ops.protocol.robots import RobotsRules

NOW = datetime(2026, 3, 1, tzinfo=UTC)
RULES = b"User-agent: *\nDisallow: /no\nCrawl-delay: 2\nSitemap: /s.xml\n"


def ok(body: bytes = RULES) -> bytes:
    return b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body)


def status(code: int, more: str = "") -> bytes:
    return f"HTTP/1.1 {code} X\r\n{more}Content-Length: 4\r\n\r\nbody".encode()


@pytest.fixture
def rules(client, config):
    def make(**properties):
        return RobotsRules(config(**properties), client(**properties))

    return make


def test_rules_are_asked_for_once_an_origin(serve, rules):
    server = serve(ok(), keep=True)
    robots = rules()
    first = robots.of(server.url("/a"), NOW)
    assert (first.outcome, first.http_status, first.fetched) == ("rules", 200, True)
    assert first.content == RULES
    assert (first.crawl_delay_s, first.sitemaps) == (2.0, (server.url("/s.xml"),))
    assert first.origin == server.url("/")[:-1]
    assert not first.allows(server.url("/no/1")).allowed
    assert first.allows(server.url("/no/1")).rule == "Disallow: /no"
    again = robots.of(server.url("/b"), NOW)
    assert (again.fetched, again.content, again.sitemaps) == (False, None, first.sitemaps)
    assert not again.allows(server.url("/no")).allowed
    assert server.targets == ["/robots.txt"]


def test_ports_and_schemes_are_origins_of_their_own(serve, rules):
    servers = [serve(ok()), serve(ok())]
    robots = rules()
    for server in servers:
        assert robots.of(server.url(), NOW).fetched
    assert [server.targets for server in servers] == [["/robots.txt"]] * 2


def test_many_threads_ask_once(serve, rules):
    gate = threading.Event()

    def reply(_request):
        gate.wait(0.2)
        return ok()

    server = serve(reply)
    robots = rules()
    with ThreadPoolExecutor(16) as threads:
        answers = list(threads.map(lambda n: robots.of(server.url(f"/{n}"), NOW), range(32)))
    assert len(server.requests) == 1
    assert [answer.fetched for answer in answers].count(True) == 1
    assert {answer.outcome for answer in answers} == {"rules"}


def test_rules_are_kept_for_a_day(serve, rules):
    server = serve(ok())
    robots = rules()
    robots.of(server.url(), NOW)
    assert not robots.of(server.url(), NOW + timedelta(hours=23)).fetched
    assert robots.of(server.url(), NOW + timedelta(hours=25)).fetched


def test_a_saved_copy_is_used_while_it_is_fresh(serve, rules):
    server = serve(ok(b"User-agent: *\nDisallow: /new"))
    robots = rules()
    robots.remember(server.url()[:-1], RULES, NOW)
    answer = robots.of(server.url(), NOW + timedelta(hours=23))
    assert (answer.outcome, answer.fetched, server.requests) == ("rules", False, [])
    assert not answer.allows(server.url("/no")).allowed
    assert answer.sitemaps == (server.url("/s.xml"),)
    later = robots.of(server.url(), NOW + timedelta(hours=24, seconds=1))
    assert later.fetched
    assert later.allows(server.url("/no")).allowed


@pytest.mark.parametrize("code", [400, 401, 403, 404, 410, 451, 499, 204, 302, 304])
def test_not_there_allows_all(serve, rules, code):
    server = serve(status(code) if code != 204 else b"HTTP/1.1 204 X\r\n\r\n")
    answer = rules().of(server.url(), NOW)
    assert (answer.outcome, answer.http_status) == ("allow_all", code)
    verdict = answer.allows(server.url("/no"))
    assert verdict.allowed
    assert verdict.rule.startswith("robots.txt: ")


@pytest.mark.parametrize("code", [429, 500, 503, 599])
def test_a_server_in_trouble_defers(serve, rules, code):
    server = serve(status(code))
    answer = rules().of(server.url(), NOW)
    assert (answer.outcome, answer.reason) == ("deferred", f"robots.txt: http {code}")
    verdict = answer.allows(server.url("/"))
    assert (verdict.allowed, verdict.rule) == (False, f"robots.txt: http {code}")


def test_crawler_commons_statuses(serve, rules, vectors):
    """429 differs: RFC 9309 calls it unavailable like other 4xx, DESIGN and Nutch wait."""
    for case in vectors("robots.jsonl"):
        if case["ask"] == "status" and case["status"] != 429:
            answer = rules().of(serve(status(case["status"])).url(), NOW)
            assert answer.allows("http://a.example/").allowed is case["allowed"]
            assert (answer.outcome == "deferred") is case["defer"]


@pytest.mark.parametrize(
    "response",
    [
        b"",
        b"HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\nUser-agent: *\nDis",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz",
    ],
)
@pytest.mark.parametrize("partial", [True, False])
def test_half_an_answer_defers(serve, rules, response, partial):
    answer = rules(partial_truncated=partial).of(serve(response).url(), NOW)
    assert answer.outcome == "deferred"
    assert answer.reason.startswith("robots.txt: ")


def test_unreachable_defers(rules):
    answer = rules().of("http://no-such-host.invalid/", NOW)
    assert (answer.outcome, answer.http_status) == ("deferred", None)
    assert answer.reason.startswith("robots.txt: dns: no-such-host.invalid")
    answer = rules(**{"http.filter.ipaddress.exclude": "private"}).of("http://127.0.0.1/", NOW)
    assert answer.reason == "address 127.0.0.1 is refused by http.filter.ipaddress.exclude"


def test_deferred_is_asked_again_after_a_while(serve, rules):
    replies = iter([status(503), ok()])
    server = serve(lambda _request: next(replies))
    robots = rules(**{"http.robots.503.defer.visits.delay": 10_000})
    first = robots.of(server.url(), NOW)
    assert first.retry_at == NOW + timedelta(seconds=10)
    assert robots.of(server.url(), NOW + timedelta(seconds=9)).outcome == "deferred"
    assert len(server.requests) == 1
    assert robots.of(server.url(), NOW + timedelta(seconds=10)).outcome == "rules"


def test_retry_after_makes_it_longer(serve, rules):
    robots = rules(**{"http.robots.503.defer.visits.delay": 10_000})
    answer = robots.of(serve(status(503, "Retry-After: 60\r\n")).url(), NOW)
    assert answer.retry_at == NOW + timedelta(seconds=60)


def test_without_deferring_a_server_in_trouble_allows_all(serve, rules):
    robots = rules(**{"http.robots.503.defer.visits": False})
    assert robots.of(serve(status(503)).url(), NOW).outcome == "allow_all"


def test_403_may_mean_no(serve, rules):
    answer = rules(**{"http.robots.403.allow": False}).of(serve(status(403)).url(), NOW)
    assert answer.outcome == "disallow_all"
    assert answer.allows("http://a.example/").rule == "robots.txt: http 403"


def hops(last: int):
    def reply(request: bytes) -> bytes:
        path = request.split(b" ")[1].decode()
        number = 0 if path == "/robots.txt" else int(path.removeprefix("/r"))
        return ok() if number == last else status(302, f"Location: /r{number + 1}\r\n")

    return reply


def test_five_redirects_are_followed_and_no_more(serve, rules):
    server = serve(hops(5))
    answer = rules().of(server.url(), NOW)
    assert (answer.outcome, len(server.requests)) == ("rules", 6)
    assert not answer.allows(server.url("/no")).allowed
    server = serve(hops(6))
    answer = rules().of(server.url(), NOW)
    assert answer.outcome == "allow_all"
    assert answer.reason == "robots.txt: more than 5 redirects"


@pytest.mark.parametrize("leads_to", ["/robots.txt", "/one"])
def test_redirects_in_a_circle_are_asked_once_around(serve, rules, leads_to):
    server = serve(lambda _request: status(302, f"Location: {leads_to}\r\n"))
    answer = rules().of(server.url(), NOW)
    assert answer.outcome == "allow_all"
    assert answer.reason == f"robots.txt: redirects to {server.url(leads_to)}"
    assert len(server.requests) == (1 if leads_to == "/robots.txt" else 2)


def test_a_redirect_to_another_host_serves_both(serve, rules):
    there = serve(ok(), "127.0.0.2")
    here = serve(status(301, f"Location: {there.url('/robots.txt')}\r\n"))
    robots = rules()
    answer = robots.of(here.url(), NOW)
    assert not answer.allows(here.url("/no")).allowed
    assert answer.sitemaps == (there.url("/s.xml"),)
    assert not robots.of(there.url(), NOW).allows(there.url("/no")).allowed
    assert len(there.requests) == 1


def test_every_hop_is_under_the_address_filter(serve, rules):
    there = serve(ok(), "127.0.0.2")
    here = serve(status(301, f"Location: {there.url('/robots.txt')}\r\n"))
    answer = rules(**{"http.filter.ipaddress.exclude": "127.0.0.2"}).of(here.url(), NOW)
    assert answer.outcome == "deferred"
    assert answer.reason.startswith("robots.txt: address 127.0.0.2 is refused")
    assert there.connections == 0


def test_hosts_of_the_allowlist_are_not_asked(serve, rules):
    server = serve(ok())
    robots = rules(**{"http.robot.rules.allowlist": "127.0.0.1"})
    answer = robots.of(server.url(), NOW)
    assert (answer.outcome, server.requests) == ("allow_all", [])
    assert "allowlist" in answer.allows(server.url("/no")).rule


def test_all_our_names_count(serve, rules):
    body = b"User-agent: testbot\nDisallow: /1\n\nUser-agent: friend\nDisallow: /2\n"
    server = serve(ok(body))
    answer = rules(robots_agents="friend, *").of(server.url(), NOW)
    assert not answer.allows(server.url("/1")).allowed
    assert not answer.allows(server.url("/2")).allowed


def test_the_first_500_kib_count(serve, rules):
    body = b"User-agent: *\n" + b"".join(b"Disallow: /pad%d/\n" % n for n in range(1_500))
    server = serve(ok(body + b"Disallow: /secret/\n" + b"#" * 600_000 + b"\nDisallow: /late/\n"))
    answer = rules(content_limit=100).of(server.url(), NOW)
    assert len(answer.content) == 512_000
    assert not answer.allows(server.url("/secret/a")).allowed
    assert answer.allows(server.url("/late/")).allowed


def test_what_is_no_url_is_not_fetched(rules):
    answer = rules().of("nonsense", NOW)
    assert (answer.outcome, answer.allows("nonsense").allowed) == ("deferred", False)
