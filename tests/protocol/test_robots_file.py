"""robots.txt against the published cases of Google, crawler-commons, Nutch, RFC 9309, Protego."""

import base64
import itertools
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from protego import Protego

from crawl_ops.protocol.robots_file import RobotsFile, product_token, product_tokens
from crawl_ops.protocol.robots_match import UNRESERVED, escape, path_of, unescape


def read(case: dict, agents) -> RobotsFile:
    if "robots_b64" in case:
        content = base64.b64decode(case["robots_b64"])
    elif "robots_hex" in case:
        content = bytes.fromhex(case["robots_hex"])
    else:
        content = case["robots"].encode()
    return RobotsFile(content, agents, "http://domain.example/robots.txt")


def test_googles_cases(vectors):
    allowed = [case for case in vectors("robots_google.jsonl") if case["kind"] == "allowed"]
    wrong = [
        case
        for case in allowed
        if read(case, [case["agent"].lower()]).verdict(case["url"]).allowed != case["allowed"]
    ]
    assert (len(allowed), wrong) == (145, [])


def test_googles_paths_and_escapes(vectors):
    for case in vectors("robots_google.jsonl"):
        if case["kind"] == "path":
            assert path_of(case["in"]) == case["out"]
        elif case["kind"] == "escape":
            assert escape(case["in"]) == case["out"]


def test_everybody_elses_cases(vectors):
    """All but those that a case says we decide otherwise: and those we do."""
    count = 0
    for case in vectors("robots.jsonl"):
        if case["ask"] in ("path", "status"):
            continue
        file = read(case, product_tokens(case.get("agents", ())))
        found = {
            "allowed": lambda file=file, case=case: file.verdict(case["url"]).allowed,
            "crawl_delay": lambda file=file: file.crawl_delay_s,
            "sitemaps": lambda file=file: list(file.sitemaps),
            "sitemap_count": lambda file=file: len(file.sitemaps),
        }[case["ask"]]()
        assert (found != case["expected"]) is ("differs" in case), case
        count += 1
    assert count > 500


def test_differences_are_few(vectors):
    sources: dict[str, list[bool]] = {}
    for case in vectors("robots.jsonl"):
        if case["ask"] == "allowed":
            sources.setdefault(case["source"], []).append("differs" not in case)
    share = {source: sum(same) / len(same) for source, same in sources.items()}
    assert share.pop("crawler-commons") >= 0.99
    assert share.pop("protego") >= 0.95
    assert share == {"rfc9309": 1.0, "nutch": 1.0}


def test_the_paths_of_the_rfc(vectors):
    for case in vectors("robots.jsonl"):
        if case["ask"] != "path":
            continue
        for pattern, url in itertools.product(
            [case["path"], case["encoded"], case["to_match"]], repeat=2
        ):
            file = RobotsFile(f"User-agent: *\nDisallow: {pattern}".encode(), ())
            assert not file.verdict(f"http://a.example{url}").allowed, (case, pattern, url)


@pytest.mark.parametrize(
    "content",
    [
        b"\xef\xbb\xbfUser-agent: *\nDisallow: /x",
        "\ufeffUser-agent: *\nDisallow: /x".encode("utf-16-le"),
        "\ufeffUser-agent: *\nDisallow: /x".encode("utf-16-be"),
        b"User-agent: *\rDisallow: /x\r",
        b"User-agent: *\r\n\r\nDisallow: /x\r\n",
        b"  user-AGENT :*\n\tDISALLOW:/x  # why",
        b"User-agent *\nDisallow /x",
        b"User-agent: *\nDissalow: /x",
        b"User-agent: * and others\nDisallow: /x",
        b"User-agent: mybot\nDisallow:\n\nUser-agent: testbot/2.1\nDisallow: /x",
        b"User-agent: a\nSitemap: http://a.example/s\nUser-agent: TestBot\nDisallow: /x",
        b"User-agent: other testbot\nDisallow: /x",
        b"User-agent: Mozilla/5.0 (compatible; testbot/1.0)\nDisallow: /x",
        b"\xff\xfe\xfd\nUser-agent: *\nDisallow: /\xe9\nDisallow: /x",
        b"\x00\x00\nUser-agent: *\nDisallow: /x",
        b"<html><body>\nUser-agent: *<br>\nDisallow: /x<br>\n</body>",
    ],
)
def test_is_read_whatever_it_looks_like(content):
    file = RobotsFile(content, ("testbot",))
    assert not file.verdict("http://a.example/x1").allowed
    assert file.verdict("http://a.example/y").allowed


@pytest.mark.parametrize(
    "content",
    [b"", b"\xff\xfe", b"<html><title>Site down</title></html>", b"Disallow: /", b"User-agent: *",
     b"User-agent: *\nDisallow:", b"User-agent: testbots\nDisallow: /", b":\n: :\n#", b"\x00" * 99],
)  # fmt: skip
def test_what_says_nothing_allows_all(content):
    assert RobotsFile(content, ("testbot",)).verdict("http://a.example/").allowed


def test_the_line_that_decided_is_told():
    file = RobotsFile(
        b"User-agent: *\nDisallow: /a  # no\nAllow: /a/b\nDisallow: /\xe9\n", ("testbot",)
    )
    assert file.verdict("http://x.example/a/c").rule == "Disallow: /a  # no"
    assert file.verdict("http://x.example/a/b").rule == "Allow: /a/b"
    assert file.verdict("http://x.example/%E9").rule == "Disallow: /\ufffd"
    assert file.verdict("http://x.example/z").rule is None


def test_robots_txt_itself_is_allowed():
    file = RobotsFile(b"User-agent: *\nDisallow: /", ())
    assert file.verdict("http://a.example/robots.txt").allowed
    assert not file.verdict("http://a.example/robots.txt?x").allowed


@pytest.mark.parametrize(
    ("pattern", "url", "matches"),
    [
        ("/fish", "/fish/salmon", True), ("/fish", "/Fish", False), ("/fish*", "/fishheads", True),
        ("/fish/", "/fish", False), ("/*.php", "/a/b.php?c", True), ("/*.php$", "/a.php?x", False),
        ("/*.php$", "/a.php", True), ("/*/filter/page=*/$", "/1/filter/page=5/", True),
        ("/*/filter/page=*/$", "/1/other/", False), ("/*s=", "/?s=asd", True),
        ("/*s=", "/s/", False),
        ("*", "/x", True), ("$", "/", False), ("/$", "/", True), ("/$", "/x", False),
        ("/a$b", "/a$b", True), ("/a%24", "/a$", True), ("/a%2A", "/a*", True),
        ("/a%2Ab", "/axb", False), ("/a**b", "/a1b", True), ("/a*$", "/a", True),
        ("/%7Ejoe", "/~joe", True), ("/~joe", "/%7ejoe", True), ("/a%2fb", "/a/b", False),
        ("/b\u00fccher/", "/b%C3%BCcher/1", True), ("/b%c3%bccher/", "/b%C3%BCcher/1", True),
        ("/a b", "/a%20b", True), ("/a<b", "/a%3Cb", True),
    ],
)  # fmt: skip
def test_patterns(pattern, url, matches):
    file = RobotsFile(f"User-agent: *\nDisallow: {pattern}".encode(), ())
    assert file.verdict(f"http://a.example{url}").allowed is not matches


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("10", 10.0), ("0.5", 0.5), ("0", 0.0), ("ten seconds", None), ("-5", None), ("", None),
        ("nan", None), ("inf", None), ("1e300", None), ("99999999", None), ("3600", 3600.0),
        ("5 # s", 5.0),
    ],
)  # fmt: skip
def test_delays(value, seconds):
    assert RobotsFile(f"User-agent: *\nCrawl-delay: {value}".encode(), ()).crawl_delay_s == seconds


def test_delays_of_merged_groups_and_strays():
    text = b"Crawl-delay: 1\n\nUser-agent: a\nCrawl-delay: 2\n\nUser-agent: b\nCrawl-delay: 7\n"
    assert RobotsFile(text, ("a", "b")).crawl_delay_s == 7
    assert RobotsFile(text, ("a",)).crawl_delay_s == 2
    assert RobotsFile(text, ("c",)).crawl_delay_s is None


def test_sitemaps_from_anywhere():
    text = (
        b"Sitemap: /one.xml\nUser-agent: x\nSitemap:http://b.example/two.xml\nDisallow: /\n"
        b"Sitemap: ftp://c.example/no\nSitemap: http://[bad\nsite-map: three.xml\nSitemap: /one.xml"
    )
    assert RobotsFile(text, (), "https://a.example/robots.txt").sitemaps == (
        "https://a.example/one.xml",
        "http://b.example/two.xml",
        "https://a.example/three.xml",
    )


def test_all_groups_of_all_our_names_are_merged():
    groups = zip(("a", "b", "a", "*"), "1234", strict=True)
    text = "".join(f"User-agent: {name}\nDisallow: /{path}\n\n" for name, path in groups)
    file = RobotsFile(text.encode(), ("a", "b"))
    allowed = [file.verdict(f"http://x.example/{path}").allowed for path in "1234"]
    assert allowed == [False, False, False, True]


@pytest.mark.parametrize(
    ("name", "token"),
    [("TestBot", "testbot"), ("test-bot/1.0 (x)", "test-bot"), ("My Bot", "my"), ("*", ""),
     ("", ""), (" bot2.x ", "bot2.x")],
)  # fmt: skip
def test_product_tokens(name, token):
    assert product_token(name) == token


def test_a_pattern_made_to_be_slow_is_not():
    text = b"User-agent: *\nDisallow: /" + b"*a" * 8_000 + b"$\n"
    file = RobotsFile(text, ())
    started = time.thread_time()
    assert file.verdict("http://a.example/" + "a" * 2_000 + "b").allowed
    assert time.thread_time() - started < 0.5


def test_many_rules_are_quick():
    text = b"User-agent: *\n" + b"".join(b"Disallow: /pad%d/\n" % n for n in range(20_000))
    file = RobotsFile(text, ())
    started = time.thread_time()
    assert not file.verdict("http://a.example/pad7/x").allowed
    assert time.thread_time() - started < 0.5


@given(st.binary(max_size=400), st.text(max_size=40))
def test_never_fails(content, url):
    file = RobotsFile(content, ("testbot",), "http://a.example/robots.txt")
    assert file.verdict(url).allowed in (True, False)
    assert file.crawl_delay_s is None or file.crawl_delay_s >= 0


WORDS = st.lists(st.sampled_from(["/", "a", "b", "*", "$", ".php"]), min_size=1, max_size=5).map(
    "".join
)


@given(st.lists(st.tuples(st.booleans(), WORDS), max_size=5), WORDS)
def test_says_what_protego_says(rules, url):
    """On plain files: no escapes, one group, patterns and URLs that begin with a slash."""
    url = "http://a.example/" + url.replace("*", "").replace("$", "")
    lines = [
        f"{'Allow' if allow else 'Disallow'}: /{p.strip('$').replace('$', '')}"
        for allow, p in rules
    ]
    text = "\n".join(["User-agent: *", *lines])
    ours = RobotsFile(text.encode(), ("testbot",)).verdict(url).allowed
    assert ours == Protego.parse(text).can_fetch(url, "testbot"), text


@given(st.text(max_size=30))
def test_escapes_are_stable(text):
    escaped = escape(text)
    assert escape(escaped) == escaped
    assert unescape(escaped, UNRESERVED).isascii()
