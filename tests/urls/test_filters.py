"""The filters against Nutch's facts, and against pairs of .rules and .urls files."""

import json
from pathlib import Path

import pytest

from crawl_ops.config.load import load
from crawl_ops.errors import ConfigError
from crawl_ops.urls.chain import UrlChain

HERE = Path(__file__).parent
FACTS = [json.loads(line) for line in (HERE / "data" / "filter.jsonl").read_text().splitlines()]
TRAP = r"-.*(/[^/]+)/[^/]+\1/[^/]+\1/"
PAIRS = sorted((HERE / "pairs").glob("*/*.urls"))


def chain(name, file=None, **properties):
    properties = {"urlfilter.order": name, **properties}
    if file is not None:
        properties[f"urlfilter.{name}.file"] = str(file)
    return UrlChain(load(None, properties), normalize=False)


@pytest.mark.parametrize(
    "fact", FACTS, ids=lambda fact: f"{fact['filter']}-{len(fact['accepted'] + fact['refused'])}"
)
def test_nutch(fact, tmp_path):
    rules = None
    if "rules" in fact:
        rules = tmp_path / "rules.txt"
        rules.write_text("\n".join(fact["rules"]))
    judge = chain(fact["filter"], rules, **fact.get("properties", {})).judge
    assert [url for url in fact["accepted"] if judge(url).url is None] == []
    assert [url for url in fact["refused"] if judge(url).rejected_by != fact["filter"]] == []


def test_nutch_facts_are_all_there():
    assert sum(len(fact["accepted"]) + len(fact["refused"]) for fact in FACTS) == 1074


@pytest.mark.parametrize("urls", PAIRS, ids=lambda urls: f"{urls.parent.name}/{urls.stem}")
def test_pair(urls):
    """A folder a filter; NAME.urls holds +URL and -URL; without NAME.rules our own rules count."""
    rules = urls.with_suffix(".rules")
    judge = chain(urls.parent.name, rules if rules.exists() else None).judge
    lines = [line for line in urls.read_text().splitlines() if line[:1] in ("+", "-")]
    assert len(lines) > 3
    seen = [("+" if judge(line[1:]).url else "-") + line[1:] for line in lines]
    assert seen == lines


def test_every_filter_has_a_pair():
    assert {urls.parent.name for urls in PAIRS} == {
        "automaton", "domain", "domaindenylist", "fast", "prefix", "regex", "suffix", "validator",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("name", "rules", "url", "says"),
    [
        ("regex", "-\\.exe$\n+.", "http://a.example/x.exe", "-\\.exe$"),
        ("regex", "+^https:", "http://a.example/", "no rule accepts it"),
        ("regex", "#! too noisy\n-noise\n+.", "http://a.example/noise", "too noisy"),
        ("regex", "#! too noisy\n-loud\n\n-noise\n+.", "http://a.example/noise", "-noise"),
        ("automaton", "-.*noise", "http://a.example/noise", "-.*noise"),
        ("prefix", "https://", "http://a.example/", "begins with no listed prefix"),
        ("suffix", "+\n.gif\n.jpg", "http://a.example/x.jpg", "-.jpg"),
        ("suffix", "-\n.htm", "http://a.example/x.jpg", "ends with no listed suffix"),
        ("domain", "b.example", "http://a.example/", "a.example is not listed"),
        ("domaindenylist", "example.com", "http://www.example.com/", "example.com"),
        ("fast", "Host a.b\n DenyPath ^/x", "http://a.b/x", "Host a.b: DenyPath ^/x"),
    ],
)  # fmt: skip
def test_a_refusal_says_which_rule(name, rules, url, says):
    verdict = chain(name, **{f"urlfilter.{name}.rules": rules}).judge(url)
    assert (verdict.url, verdict.rejected_by, verdict.rule) == (None, name, says)


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("ftp://a.example/x", "not a web URL (only http and https are fetched)"),
        ("mailto:x@a.example", "not a web URL (only http and https are fetched)"),
        ("http://a.example/x.EXE?y", "a file that is no page (by the suffix of its path)"),
        ("http://a.example/a/b/a/b/a/b", "a path segment that repeats three times (a loop)"),
    ],
)
def test_our_own_rules_speak_plainly(url, says):
    assert UrlChain(load()).judge(url).rule == says


@pytest.mark.parametrize(
    "path",
    [
        "/a/b" * 15_000,
        "/" + "a" * 65_000,
        "/" + "a/" * 32_000,
        "/a.exe" * 10_000 + "x",
        "".join(f"/{number}" for number in range(11_000)),
        "?" * 65_000 + "x",
        "?" + "&sid=1" * 10_000 + "x",
        ";sid=1" * 10_000,
        "/%" * 20_000,
    ],
    ids=lambda path: path[:10],
)
@pytest.mark.timeout(2)
def test_a_hostile_url_costs_no_time(path):
    verdict = UrlChain(load()).judge("http://a.example" + path)
    assert (verdict.url is None) is (verdict.rejected_by is not None)


@pytest.mark.timeout(2)
def test_a_leading_dot_star_costs_no_time():
    judge = chain("regex", **{"urlfilter.regex.rules": TRAP + "\n+."}).judge
    assert judge("http://a.example" + "".join(f"/{n}" for n in range(11_000))).url is not None
    assert judge("http://a.example/x/a/y/a/z/a/").rule == TRAP


@pytest.mark.parametrize(
    ("name", "rules", "complaint"),
    [
        ("regex", "+.\n\nx", "urlfilter.regex.rules:3: a rule begins with + or -, not with 'x'"),
        ("regex", "# one\n-a(b", "urlfilter.regex.rules:2: 'a(b' is no regular expression"),
        ("automaton", "+a\n-[a", "urlfilter.automaton.rules:2: '[a' is no automaton expression"),
        ("automaton", "+a&b", "urlfilter.automaton.rules:1: 'a&b' is no automaton expression"),
        ("fast", "DenyPath x", "urlfilter.fast.rules:1: neither a block nor a rule in one"),
        ("fast", "Host a\nDenyPath (", "urlfilter.fast.rules:2: '(' is no regular expression"),
    ],
)
def test_a_bad_rule_names_its_line(name, rules, complaint):
    with pytest.raises(ConfigError) as raised:
        chain(name, **{f"urlfilter.{name}.rules": rules})
    assert str(raised.value).startswith(complaint)


@pytest.mark.parametrize(
    ("expression", "fits", "not_"),
    [
        ("a@z", "a-to-z", "a-to-y"),
        ('"a.b"*', "a.ba.b", "axb"),
        (r"a\.b", "a.b", "axb"),
        ("<8-12>", "10", "13"),
        ("x<01-31>", "x07", "x7"),
        ("^a$", "^a$", "a"),
        ("[^a-c]+", "xyz", "abc"),
        ("(ab|cd){2}", "abcd", "abc"),
        ("#|x", "x", ""),
    ],
)
def test_automaton_language(expression, fits, not_):
    judge = chain("automaton", **{"urlfilter.automaton.rules": "+" + expression}).judge
    assert judge(fits).url == fits
    assert judge(not_).url is None


def test_lengths_of_the_fast_filter():
    judge = chain(
        "fast",
        **{
            "urlfilter.fast.url.max.length": 60,
            "urlfilter.fast.url.path.max.length": 10,
            "urlfilter.fast.url.query.max.length": 5,
        },
    ).judge
    assert judge("http://a.example/123456789?12345").url is not None
    assert judge("http://a.example/1234567890").rule == (
        "urlfilter.fast.url.path.max.length: 11 characters"
    )
    assert judge("http://a.example/?123456").rule.startswith("urlfilter.fast.url.query.max.length")
    assert judge("http://" + "a" * 60 + "/").rule.startswith("urlfilter.fast.url.max.length")
