"""Sitemaps named in robots.txt are read at once, and what they name joins the crawl."""

import gzip
from datetime import timedelta

import pytest

ON = {"sitemaps_from_robots": True}
OTHER = "127.0.0.2"


def robots(site, *urls):
    text = "User-agent: *\nAllow: /\n" + "".join(f"Sitemap: {url}\n" for url in urls)
    site.page("/robots.txt", text, content_type="text/plain")


def urlset(site, path, *urls, **more):
    entries = "".join(f"<url><loc>{url}</loc></url>" for url in urls)
    return site.page(path, f"<urlset>{entries}</urlset>", content_type="text/xml", **more)


def index(site, path, *urls):
    entries = "".join(f"<sitemap><loc>{url}</loc></sitemap>" for url in urls)
    body = f"<sitemapindex>{entries}</sitemapindex>"
    return site.page(path, body, content_type="text/xml")


def run(site, round_of, conf=None, name="20260301000000"):
    segment = round_of.lists([site.page("/a")], name=name)
    round_of.fetch(segment, {**ON, **(conf or {})})
    round_of.parse(segment, {**ON, **(conf or {})})
    return segment


def test_off_by_default(site, round_of):
    robots(site, urlset(site, "/sitemap.xml", site.url("/b")))
    segment = round_of.lists([site.page("/a")])
    round_of.fetch(segment)
    assert site.paths() == ["/a"]


def test_pages_of_a_sitemap_become_links(site, round_of):
    robots(site, urlset(site, "/sitemap.xml", site.url("/b"), site.url("/c")))
    segment = run(site, round_of)
    assert site.paths() == ["/a", "/sitemap.xml"]
    row = round_of.fetched(segment)[site.url("/sitemap.xml")]
    assert (row["via"], row["fetch_status"]) == (site.url("/a"), "fetch_success")
    sitemap = site.url("/sitemap.xml")
    assert round_of.links(segment) == [
        ("sitemap", sitemap, site.url("/b")),
        ("sitemap", sitemap, site.url("/c")),
    ]


def test_an_index_is_followed_nested_and_in_a_loop(site, round_of):
    one, two = site.url("/i1.xml"), site.url("/i2.xml")
    index(site, "/i1.xml", two, urlset(site, "/s1.xml", site.url("/b")))
    index(site, "/i2.xml", one, two, urlset(site, "/s2.xml", site.url("/c")))
    robots(site, one)
    segment = run(site, round_of)
    assert sorted(site.paths()) == ["/a", "/i1.xml", "/i2.xml", "/s1.xml", "/s2.xml"]
    found = {to for kind, _, to in round_of.links(segment) if kind == "sitemap"}
    assert {site.url("/b"), site.url("/c")} <= found


def test_a_gzipped_index_and_a_redirected_sitemap(site, round_of):
    target = urlset(site, "/real.xml", site.url("/b"))
    moved = site.redirect("/old.xml", target)
    body = f"<sitemapindex><sitemap><loc>{moved}</loc></sitemap></sitemapindex>"
    packed = gzip.compress(body.encode())
    robots(site, site.page("/index.xml.gz", packed, content_type="application/gzip"))
    segment = run(site, round_of)
    assert site.paths() == ["/a", "/index.xml.gz", "/old.xml", "/real.xml"]
    assert ("sitemap", target, site.url("/b")) in round_of.links(segment)


def test_only_so_many_a_host(site, round_of):
    urls = [urlset(site, f"/s{n}.xml", site.url(f"/p{n}")) for n in range(9)]
    robots(site, *urls)
    segment = run(site, round_of, {"sitemap.max.per.host": 4})
    assert len(site.paths()) == 1 + 4
    refused = round_of.rejected(segment)
    assert set(refused) == set(urls[4:])
    assert {row["rule"] for row in refused.values()} == {"sitemap.max.per.host"}


def test_a_bomb_of_indexes_ends(site, round_of):
    def reply(one):
        number = int(one.path[2:-4])
        urls = [site.url(f"/i{number * 10 + n}.xml") for n in range(10)]
        for url in urls:
            site.pages[url] = reply
        entries = "".join(f"<sitemap><loc>{url}</loc></sitemap>" for url in urls)
        return site.reply(200, f"<sitemapindex>{entries}</sitemapindex>", content_type="text/xml")

    robots(site, site.put("/i1.xml", reply))
    run(site, round_of, {"sitemap.max.per.host": 20})
    assert len(site.paths()) == 1 + 20


def test_sitemaps_of_other_hosts(site, round_of):
    site.listen(OTHER)
    there = site.page("/s.xml", "<urlset/>", OTHER, content_type="text/xml")
    robots(site, there)
    segment = run(site, round_of)
    assert site.paths() == ["/a"]
    assert round_of.links(segment) == [("sitemap", site.url("/robots.txt"), there)]


@pytest.mark.parametrize("strict", [True, False])
def test_an_index_names_other_hosts_only_unless_strict(site, round_of, strict):
    there = site.url("/s.xml", OTHER)
    robots(site, index(site, "/i.xml", there))
    segment = round_of.lists([site.page("/a")])
    round_of.fetch(segment, {**ON, "sitemap.strict.parsing": strict})
    if strict:
        assert round_of.rejected(segment)[there]["rule"] == "sitemap.strict.parsing"
    else:
        assert round_of.links(segment) == [("sitemap", site.url("/i.xml"), there)]


def test_filters_apply(site, round_of):
    robots(site, site.url("/x.xml"))
    segment = run(site, round_of, {"urlfilter.regex.rules": "-x\\.xml\n+."})
    assert site.paths() == ["/a"]
    assert round_of.rejected(segment)[site.url("/x.xml")]["rule"] == "urlfilter.regex"


def test_a_known_sitemap_is_not_read_again_until_it_is_due(site, round_of):
    sitemap = urlset(site, "/sitemap.xml", site.url("/b"))
    robots(site, sitemap)
    later = round_of.now + timedelta(days=1)
    round_of.given.known([{"url": sitemap, "status": "db_fetched", "fetch_time": later}])
    run(site, round_of)
    assert site.paths() == ["/a"]


def test_a_sitemap_is_read_without_keeping_content(site, round_of):
    inner = urlset(site, "/s.xml", site.url("/b"))
    robots(site, index(site, "/i.xml", inner))
    segment = round_of.lists([site.page("/a")])
    round_of.fetch(segment, {**ON, "fetcher.store.content": False})
    assert site.paths() == ["/a", "/i.xml", "/s.xml"]
    assert round_of.rows(segment, "content") == []


@pytest.mark.parametrize("body", ["", "<sitemapindex", "<sitemapindex><sitemap><loc>", "\0\0"])
def test_a_broken_sitemap_costs_itself_only(site, round_of, body):
    robots(site, site.page("/s.xml", body, content_type="text/xml"))
    segment = run(site, round_of)
    assert round_of.fetched(segment)[site.url("/a")]["fetch_status"] == "fetch_success"


def test_sitemaps_left_by_a_limit_are_links_for_a_later_round(site, round_of):
    sitemap = urlset(site, "/sitemap.xml", site.url("/b"))
    robots(site, sitemap)
    segment = round_of.lists([site.page("/a")])
    round_of.fetch(segment, {**ON, "fetcher.server.delay": 60, "fetcher.timelimit.mins": 0.02})
    assert round_of.links(segment) == [("sitemap", site.url("/robots.txt"), sitemap)]
