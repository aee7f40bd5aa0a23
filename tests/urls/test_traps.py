"""Endless spaces of URLs are bounded; each bound can be seen, and taken away by its property."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawl_ops.config.load import load
from crawl_ops.urls.chain import UrlChain
from crawl_ops.urls.filters.traps import TrapsUrlFilter

A = "http://a.example"
TRAPS = {
    "path.segments.max": A + "".join(f"/{n}" for n in range(33)),
    "path.repeats.max": A + "/en/a/en/b/c/en/d/e/en/f/en/g/h/en/i",
    "query.parameters.max": A + "/?" + "&".join(f"p{n}={n}" for n in range(25)),
    "query.repeats.max": A + "/shop?" + "&".join(f"f={n}" for n in range(7)),
    "escapes.max": A + "/login?back=%2525252Flogin",
    "calendar.year.max": A + "/calendar/2036/01/",
    "calendar.year.min": A + "/calendar?month=1901-05",
}


def chain(**properties):
    return UrlChain(load(None, properties))


@pytest.mark.parametrize("bound", TRAPS)
def test_a_trap_is_refused_by_name_and_can_be_allowed(bound):
    verdict = chain().judge(TRAPS[bound])
    assert (verdict.url, verdict.rejected_by) == (None, "traps")
    assert f"urlfilter.traps.{bound} is " in verdict.rule
    assert chain(**{f"urlfilter.traps.{bound}": -1}).judge(TRAPS[bound]).url == TRAPS[bound]
    assert chain(**{"urlfilter.order": "regex"}).judge(TRAPS[bound]).url == TRAPS[bound]


def test_the_words_are_for_people():
    assert chain().judge(TRAPS["query.repeats.max"]).rule == (
        "a query that names one parameter again and again "
        "(7; urlfilter.traps.query.repeats.max is 6)"
    )
    assert chain().judge(TRAPS["calendar.year.max"]).rule == (
        "a calendar without end (year 2036; urlfilter.traps.calendar.year.max is 2035)"
    )


@pytest.mark.parametrize(
    "url",
    [
        A + "/",
        A + "/events/2026/07/31/party",
        A + "/calendar?year=2031&month=12",
        A + "/events/2500-seats",
        A + "/archive/3000/12/",  # no calendar
        A + "/products/20410512.html",
        A + "/a/b/c/d/e/f/g/h/i/j/k/l/m/n/o/p/q/r/s/t/u/v/w/x/y/z",
        A + "/search?q=a&sort=b&page=3&f%5B%5D=1&f%5B%5D=2&f%5B%5D=3",
        A + "/go?to=http%253A%252F%252Fb.example%252F",
        A + "/2026/07/2026/07/x",
        A + "/100%25",
        A + "/?a;b;c",
    ],
)
def test_pages_of_people_are_no_traps(url):
    assert chain().judge(url).url == url


@pytest.mark.timeout(2)
@pytest.mark.parametrize(
    "path",
    ["/a" * 30_000, "/?" + "a&" * 30_000, "/?" + "%25" * 20_000, "/calendar" + "/2026/01" * 7_000],
    ids=lambda path: path[:9],
)
def test_a_hostile_url_costs_no_time(path):
    verdict = chain(**{"urlfilter.order": "traps"}).judge(A + path)
    assert verdict.rule or verdict.url


def growing(step, times=4000):
    url, refused = A + "/", 0
    judge = chain().judge
    for number in range(times):
        url = step(url, number)
        verdict = judge(url)
        if verdict.url is None:
            refused += 1
            assert verdict.rule
            return number
        url = verdict.url
    return None


@pytest.mark.parametrize(
    "step",
    [
        lambda url, n: url + "a/",
        lambda url, n: url + f"{n}/",
        lambda url, n: url + ("&" if "?" in url else "?") + f"p{n}=1",
        lambda url, n: url + ("&" if "?" in url else "?") + "f=1",
        lambda url, n: A + "/login?back=" + url.replace("%", "%25").replace("/", "%2F"),
        lambda url, n: A + f"/cal/{1990 + n // 12}/{n % 12 + 1:02d}",
    ],
    ids=["folder in itself", "deeper", "parameters", "facets", "back links", "months"],
)
def test_following_the_next_link_comes_to_an_end(step):
    assert growing(step) is not None


def test_session_ids_make_no_new_urls():
    judge = chain().judge
    for number in ("a1", "b2", "c3"):
        for spelling in (
            f"/x;jsessionid={number}",
            f"/x?PHPSESSID={number}",
            f"/x?sid={number}",
            f"/x?osCsid={number}",
            f"/x?zenid={number}",
            f"/x?CFID={number}&CFTOKEN={number}",
            f"/(S({number}{'q' * 22}))/x",
        ):
            assert judge(A + spelling).url == A + "/x", spelling


LOW = ("path.segments.max", "path.repeats.max", "query.parameters.max", "query.repeats.max")
PIECES = ["/a", "/b", "/", "?", "&x=1", ";y", "x", "%25", "/2099-01", "year=2099", "event", "#"]


@pytest.mark.parametrize("low", [0, 1, 2])
@given(pieces=st.lists(st.sampled_from(PIECES), max_size=8))
def test_what_counts_take_for_plain_is_beyond_no_bound(low, pieces):
    group = {f"urlfilter.traps.{bound}": low for bound in LOW}
    traps = TrapsUrlFilter(load(None, {**group, "urlfilter.traps.escapes.max": 0}))
    url = A + "".join(pieces)
    assert not (traps._is_plain(url) and traps._beyond(url))
