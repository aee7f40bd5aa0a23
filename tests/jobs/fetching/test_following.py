"""Redirects: followed at once on hosts of the list, politely, once; else kept for later."""

from datetime import timedelta

import pytest

OTHER = "127.0.0.2"


def test_a_redirect_on_the_same_host_is_followed_at_once(site, round_of):
    url = site.redirect("/a", "/b")
    target = site.page("/b", "here")
    segment = round_of.lists([{"url": url, "metadata": '{"x": 1}', "depth": 3}])
    report = round_of.fetch(segment)
    rows = round_of.fetched(segment)
    assert rows[url]["fetch_status"] == "fetch_redir_perm"
    assert rows[url]["redirect_url"] == target
    assert rows[url]["via"] is None
    found = rows[target]
    assert (found["fetch_status"], found["via"], found["hops"]) == ("fetch_success", url, 1)
    assert (found["score"], found["interval_s"], found["retries"]) == (0.0, 2_592_000, 0)
    assert (found["metadata"], found["depth"], found["signature"]) == ('{"x": 1}', 3, None)
    assert [row["url"] for row in round_of.rows(segment, "content")] == [target]
    assert report.counts == {"fetch_redir_perm": 1, "fetch_success": 1}
    assert round_of.links(segment) == []


def test_max_0_leaves_the_target_to_the_next_round(site, round_of):
    url = site.redirect("/a", "/b", status=302)
    segment = round_of.lists([url])
    round_of.fetch(segment, {"http.redirect.max": 0})
    assert site.paths() == ["/a"]
    assert round_of.links(segment) == [("redirect", url, site.url("/b"))]
    assert round_of.fetched(segment)[url]["fetch_status"] == "fetch_redir_temp"


def chain(site, length):
    for number in range(length):
        site.redirect(f"/{number}", f"/{number + 1}")
    return site.url("/0")


@pytest.mark.parametrize("most", [1, 2, 5])
def test_a_chain_is_followed_so_far_and_then_left_to_the_next_round(site, round_of, most):
    segment = round_of.lists([chain(site, 8)])
    round_of.fetch(segment, {"http.redirect.max": most})
    assert site.paths() == [f"/{n}" for n in range(most + 1)]
    assert round_of.links(segment) == [("redirect", site.url(f"/{most}"), site.url(f"/{most + 1}"))]


def test_a_chain_that_is_too_long_can_be_dropped_and_says_so(site, round_of):
    segment = round_of.lists([chain(site, 4)])
    round_of.fetch(segment, {"http.redirect.max": 2, "http.redirect.max.exceeded.skip": True})
    assert round_of.links(segment) == []
    assert "http.redirect.max 2" in round_of.fetched(segment)[site.url("/2")]["reason"]


def test_a_chain_of_just_the_allowed_length_arrives(site, round_of):
    segment = round_of.lists([chain(site, 3)])
    site.page("/3")
    round_of.fetch(segment, {"http.redirect.max": 3})
    assert round_of.fetched(segment)[site.url("/3")]["fetch_status"] == "fetch_success"


def test_a_loop_ends(site, round_of):
    url = site.redirect("/a", "/b")
    site.redirect("/b", "/c", status=302)
    site.redirect("/c", "/a")
    segment = round_of.lists([url])
    round_of.fetch(segment)
    assert site.paths() == ["/a", "/b", "/c"]
    assert round_of.fetched(segment)[site.url("/c")]["redirect_url"] == url
    assert round_of.links(segment) == []


def test_a_redirect_to_itself_is_refused(site, round_of):
    url = site.redirect("/a", "/a#again")
    segment = round_of.lists([url])
    round_of.fetch(segment)
    assert site.paths() == ["/a"]
    row = round_of.fetched(segment)[url]
    assert row["reason"] == f"redirect to {url} refused: redirects to itself"
    assert row["redirect_url"] is None


def test_another_host_is_asked_in_the_next_round(site, round_of):
    site.listen(OTHER)
    target = site.page("/b", host=OTHER)
    url = site.redirect("/a", target)
    segment = round_of.lists([url])
    round_of.fetch(segment)
    assert site.paths() == ["/a"]
    assert round_of.links(segment) == [("redirect", url, target)]
    (link,) = round_of.rows(segment, "crawl_parse")
    assert (link["to_host"], link["from_host"], link["score"]) == (OTHER, "127.0.0.1", 0.0)


def test_another_host_of_the_same_list_is_asked_at_once(site, round_of):
    site.listen(OTHER)
    target = site.page("/b", host=OTHER)
    url = site.redirect("/a", target)
    segment = round_of.lists([url, site.page("/x", host=OTHER)])
    round_of.fetch(segment)
    assert round_of.fetched(segment)[target]["via"] == url
    assert round_of.links(segment) == []


def test_a_host_of_another_list_is_left_to_it(site, round_of):
    site.listen(OTHER)
    target = site.page("/b", host=OTHER)
    url = site.redirect("/a", target)
    segment = round_of.lists([url], [site.page("/x", host=OTHER)])
    round_of.fetch(segment, partition=0)
    assert round_of.links(segment) == [("redirect", url, target)]


def test_three_redirects_to_one_target_ask_it_once(site, round_of):
    urls = [site.redirect(f"/{n}", "/b") for n in range(3)]
    target = site.page("/b")
    segment = round_of.lists(urls)
    round_of.fetch(segment)
    assert site.paths().count("/b") == 1
    assert len(round_of.fetched(segment)) == 4
    assert {round_of.fetched(segment)[url]["redirect_url"] for url in urls} == {target}


def test_a_target_that_is_in_the_list_is_asked_once(site, round_of):
    url = site.redirect("/a", "/b")
    target = site.page("/b")
    segment = round_of.lists([url, target])
    round_of.fetch(segment)
    assert sorted(site.paths()) == ["/a", "/b"]
    assert round_of.fetched(segment)[target]["via"] is None


@pytest.mark.parametrize(("days", "asked"), [(1, False), (-1, True)])
def test_a_target_that_is_known_is_asked_only_if_it_is_due(site, round_of, days, asked):
    url = site.redirect("/a", "/b")
    target = site.page("/b")
    due = round_of.now + timedelta(days=days)
    round_of.given.known([{"url": target, "status": "db_fetched", "fetch_time": due}])
    segment = round_of.lists([url])
    round_of.fetch(segment)
    assert ("/b" in site.paths()) == asked
    assert round_of.fetched(segment)[url]["redirect_url"] == target
    assert round_of.links(segment) == []


def test_robots_are_obeyed_on_each_hop(site, round_of):
    site.page("/robots.txt", "User-agent: *\nDisallow: /no", content_type="text/plain")
    url = site.redirect("/a", "/no/b")
    segment = round_of.lists([url])
    round_of.fetch(segment)
    assert site.paths() == ["/a"]
    row = round_of.fetched(segment)[site.url("/no/b")]
    assert (row["fetch_status"], row["protocol_status"]) == ("fetch_gone", "robots_denied")
    assert "Disallow: /no" in row["reason"]
    assert row["via"] == url


def test_filters_are_obeyed_on_each_hop(site, round_of):
    url = site.redirect("/a", "/b")
    site.redirect("/b", "/c.exe")
    segment = round_of.lists([url])
    round_of.fetch(segment, {"urlfilter.regex.rules": "-\\.exe$\n+."})
    assert site.paths() == ["/a", "/b"]
    refused = round_of.rejected(segment)[site.url("/c.exe")]
    assert (refused["rule"], refused["detail"]) == ("urlfilter.regex", "-\\.exe$")
    assert refused["from_url"] == site.url("/b")
    reason = round_of.fetched(segment)[site.url("/b")]["reason"]
    assert reason == f"redirect to {site.url('/c.exe')} refused: urlfilter.regex: -\\.exe$"


@pytest.mark.parametrize(
    ("conf", "external", "internal"),
    [
        ({"db.ignore.external.links": True}, True, True),
        ({"db.ignore.external.links": True, "db.ignore.also.redirects": False}, True, True),
        ({"db.ignore.external.links": True, "db.ignore.also.redirects": True}, False, True),
        ({"db.ignore.internal.links": True, "db.ignore.also.redirects": True}, True, False),
    ],
)
def test_scope_is_obeyed_if_redirects_count(site, round_of, conf, external, internal):
    conf = {"db.ignore.also.redirects": False, **conf}
    site.listen(OTHER)
    out = site.redirect("/out", site.page("/b", host=OTHER))
    inside = site.redirect("/in", "/c")
    segment = round_of.lists([out, inside])
    round_of.fetch(segment, {**conf, "http.redirect.max": 0})
    links = {link[2] for link in round_of.links(segment)}
    assert links == {
        *([site.url("/b", OTHER)] if external else []),
        *([site.url("/c")] if internal else []),
    }
    assert len(round_of.rejected(segment)) == 2 - external - internal


def test_a_target_that_is_too_long_is_refused(site, round_of):
    url = site.redirect("/a", "/" + "x" * 600)
    segment = round_of.lists([url])
    round_of.fetch(segment, {"db.max.outlink.length": 512})
    (refused,) = round_of.rejected(segment).values()
    assert refused["rule"] == "db.max.outlink.length"
    assert site.paths() == ["/a"]


@pytest.mark.parametrize("location", ["", "http://[bad/", "ftp://a.test/x", "mailto:me@a.test"])
def test_a_location_that_is_none_is_a_row_with_a_reason(site, round_of, location):
    url = site.redirect("/a", location)
    segment = round_of.lists([url])
    round_of.fetch(segment)
    row = round_of.fetched(segment)[url]
    assert row["fetch_status"] == "fetch_redir_perm"
    assert row["reason"]
    assert site.paths() == ["/a"]


def test_the_representative_url_is_carried_along(site, round_of):
    url = site.redirect("/", "/long/page", status=302)
    target = site.page("/long/page")
    segment = round_of.lists([url])
    round_of.fetch(segment)
    rows = round_of.fetched(segment)
    assert rows[url]["repr_url"] is None
    assert rows[target]["repr_url"] == url, "temporary: the root stands for it"
    assert round_of.rows(segment, "content")[0]["repr_url"] == url


def test_redirects_wait_their_turn(site, round_of):
    url = chain(site, 3)
    site.page("/3")
    segment = round_of.lists([url, site.page("/x")])
    round_of.fetch(segment, {"fetcher.server.delay": 0.15})
    assert len(site.gaps()) == 4
    assert min(site.gaps()) >= 0.149


def test_a_target_left_by_a_limit_is_a_link_for_the_next_round(site, round_of):
    """Nobody else knows of it: the page that redirects is not asked again for a month."""
    url = site.redirect("/a", "/b")
    segment = round_of.lists([url])
    conf = {"fetcher.server.delay": 60.0, "fetcher.timelimit.mins": 0.02}
    round_of.fetch(segment, conf)
    assert site.paths() == ["/a"]
    assert round_of.links(segment) == [("redirect", url, site.url("/b"))]
    refused = round_of.rejected(segment)[site.url("/b")]
    assert (refused["rule"], refused["from_url"]) == ("fetcher.timelimit.mins", url)
