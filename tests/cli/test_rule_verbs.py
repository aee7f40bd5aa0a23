import io
import sys
from types import SimpleNamespace

import crawl_ops.protocol
from crawl_ops.cli.main import main


def test_normalize_prints_a_verdict_a_line(world, run) -> None:
    done = run("normalize", "http://a.example/", "http://bad.example/", "--json")
    assert done.code == 0
    assert done.json() == [
        {
            "url": "http://a.example/",
            "normalized": "http://a.example/?default",
            "rejected_by": None,
            "changed_by": ["basic"],
        },
        {
            "url": "http://bad.example/",
            "normalized": None,
            "rejected_by": "regex",
            "rule": "-bad",
            "changed_by": [],
        },
    ]
    assert run("normalize", "http://a.example/", "bad", "--scope", "inject").lines == [
        "http://a.example/?inject\tby basic",
        "bad\trejected by regex: -bad",
    ]


def test_filter_names_the_rule(world, run) -> None:
    done = run("filter", "http://a.example/", "bad")
    assert done.lines == [
        "+http://a.example/\tregex: +.",
        "-bad\tregex: -bad",
    ]
    refused = {"url": "bad", "accepted": False, "rejected_by": "regex", "rule": "-bad"}
    assert run("filter", "bad", "--json").json() == [{**refused, "accepted_by": []}]


def test_urls_may_come_from_standard_input(world, run, monkeypatch) -> None:
    given = SimpleNamespace(buffer=io.BytesIO(b"http://a.example/\n\n  bad \n"))
    monkeypatch.setattr(sys, "stdin", given)
    assert run("filter", "-").lines == ["+http://a.example/\tregex: +.", "-bad\tregex: -bad"]


def test_showproperties(run) -> None:
    everything = run("showproperties", "-D", "http.agent.name=ä", "--json").json()[0]
    assert everything["http.agent.name"] == "ä"
    assert len(everything) > 150
    assert run("showproperties", "http.redirect.max").lines == [
        "property\tvalue",
        "http.redirect.max\t5",
    ]
    missing = run("showproperties", "http.redirect.maximum", "--json")
    assert (missing.code, missing.out) == (1, "")
    assert "http.redirect.max" in missing.err


def test_a_password_is_not_shown(run) -> None:
    done = run("showproperties", "-D", "http.proxy.password=secret")
    assert "secret" not in done.out
    assert "***" in done.out


def test_robots(world, run, monkeypatch) -> None:
    closed = []

    class Rules:
        def __init__(self, config, http):
            pass

        def of(self, url, now):
            return SimpleNamespace(
                origin="http://a.example:80",
                http_status=200,
                outcome="rules",
                reason=None,
                sitemaps=("http://a.example/s.xml",),
                crawl_delay_s=2.0,
                allows=lambda url: SimpleNamespace(allowed=False, rule="Disallow: /"),
            )

    http = SimpleNamespace(HttpProtocol=lambda c: SimpleNamespace(close=lambda: closed.append(1)))
    for name, module in (("http", http), ("robots", SimpleNamespace(RobotsRules=Rules))):
        monkeypatch.setitem(sys.modules, f"crawl_ops.protocol.{name}", module)
        monkeypatch.setattr(crawl_ops.protocol, name, module, raising=False)
    answer = run("robots", "http://a.example/x", "--json").json()[0]
    assert answer["allowed"] is False
    assert answer["crawl_delay"] == 2.0
    assert answer["sitemaps"] == ["http://a.example/s.xml"]
    assert answer["rule"] == "Disallow: /"
    assert answer["status"] == 200
    assert "allowed\tfalse" in run("robots", "http://a.example/x").lines
    assert closed == [1, 1]
    assert main(["robots"]) == 2
