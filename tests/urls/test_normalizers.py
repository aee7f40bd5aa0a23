"""The normalizers against Nutch's and crawler-commons' facts."""

import json
from pathlib import Path
from xml.sax.saxutils import escape

import pytest

from crawl_ops.config.load import load
from crawl_ops.urls.chain import UrlChain

DATA = Path(__file__).parent / "data"
FILES = {"host": "hosts", "protocol": "protocols", "slash": "slashes"}
SUBSTITUTIONS = json.loads((DATA / "substitutions.json").read_text())


def rows(name):
    return [json.loads(line) for line in (DATA / f"{name}.jsonl").read_text().splitlines()]


NUTCH, CRAWLER_COMMONS = rows("normalize"), rows("crawler_commons_normalize")


def as_xml(substitutions):
    return "".join(
        f"<regex><pattern>{escape(p)}</pattern><substitution>{escape(s)}</substitution></regex>"
        for p, s in substitutions
    ).join(("<regex-normalize>", "</regex-normalize>"))


def chain(case, folder):
    properties = {"urlnormalizer.order": case["order"]}
    if "idn" in case:
        properties["urlnormalizer.basic.host.idn"] = case["idn"]
    if "idna2008" in case:
        properties["urlnormalizer.basic.host.idna2008"] = case["idna2008"]
    if "substitutions" in case:
        xml = as_xml(SUBSTITUTIONS[case["substitutions"]])
        properties["urlnormalizer.regex.rules"] = xml
    if "lines" in case:
        file = folder / "rules.txt"
        file.write_text("\n".join(case["lines"]))
        properties[f"urlnormalizer.{FILES[case['order'][0]]}.file"] = str(file)
    return UrlChain(load(None, properties), case.get("scope", "default"), filter=False)


def expect(case, found):
    if "differs" in case:
        assert case["differs"]["gives"] != case["normalized"]
        assert found == case["differs"]["gives"]
    else:
        assert found == case["normalized"]


@pytest.mark.parametrize("case", NUTCH, ids=lambda case: ascii(case["url"])[:60])
def test_nutch(case, tmp_path):
    expect(case, chain(case, tmp_path).normalize(case["url"]))


@pytest.mark.parametrize("case", CRAWLER_COMMONS, ids=lambda case: ascii(case["url"])[:60])
def test_crawler_commons(case, tmp_path):
    # crawler-commons sorts the query and drops an empty one; ours does with these three.
    case = {"order": ["basic", "regex", "querystring"], **case}
    expect(case, chain(case, tmp_path).normalize(case["url"]))


def test_differences_are_as_many_as_listed():
    assert len(NUTCH) == 185
    assert sum("differs" in case for case in NUTCH) == 5  # 97.3 % are as in Nutch
    assert sum("differs" in case for case in CRAWLER_COMMONS) == 5


def test_slash_keeps_port_and_query(tmp_path):
    case = {"order": ["slash"], "lines": ["a.example +", "b.example\t-"]}
    slash = chain(case, tmp_path).normalize
    assert slash("http://a.example:81/x?y") == "http://a.example:81/x/?y"
    assert slash("http://b.example:81/x/?y#z") == "http://b.example:81/x?y#z"
    assert slash("http://a.example/file.html") == "http://a.example/file.html"
    assert slash("http://b.example/") == "http://b.example/"


def test_host_of_the_longest_entry_wins(tmp_path):
    lines = ["*.a.example a.example", "*.shop.a.example shop.a.example", "# comment"]
    case = {"order": ["host"], "lines": lines}
    host = chain(case, tmp_path).normalize
    assert host("http://x.shop.a.example:81/y") == "http://shop.a.example:81/y"
    assert host("http://x.y.a.example/") == "http://a.example/"
    assert host("http://a.example.org/") == "http://a.example.org/"
    assert host("mailto:x@y.a.example") == "mailto:x@y.a.example"


def test_ajax_there_and_back():
    fetched = "http://a.example/x?_escaped_fragment_=k=v%26w%20x"
    shown = "http://a.example/x#!k=v&w x"
    there = UrlChain(load(None, {"urlnormalizer.order": "ajax basic"}), filter=False)
    back = UrlChain(load(None, {"urlnormalizer.order": "basic ajax"}), "indexer", filter=False)
    assert there.normalize(shown) == fetched
    assert back.normalize(fetched) == shown
    assert back.normalize("http://a.example/x?y") == "http://a.example/x?y"


def test_pass_changes_nothing():
    chain = UrlChain(load(None, {"urlnormalizer.order": "pass"}), filter=False)
    assert chain.normalize("HTTP://A.example:80/x/../y#z") == "HTTP://A.example:80/x/../y#z"


def test_host_names_as_in_idna_2003():
    old = {"urlnormalizer.basic.host.idna2008": False}
    ascii_ = UrlChain(load(None, old), filter=False).normalize
    assert ascii_("https://u@Stra\u00dfe.de:443/\u00df") == "https://strasse.de/%C3%9F"
    assert ascii_("https://stra%C3%9Fe.de/") == "https://strasse.de/"
    assert ascii_("https://xn--strae-oqa.de/") == "https://xn--strae-oqa.de/"
    shown = UrlChain(load(None, {**old, "urlnormalizer.basic.host.idn": "toUnicode"}), filter=False)
    assert shown.normalize("https://xn--bcher-kva.xn--strae-oqa.de/") == (
        "https://b\u00fccher.xn--strae-oqa.de/"
    )


def test_a_scope_may_have_fewer_normalizers():
    few = {"urlnormalizer.order": "basic querystring", "urlnormalizer.scope.inject": "querystring"}
    url = "http://a.example:80/?b&a"
    assert UrlChain(load(None, few), "inject").normalize(url) == "http://a.example:80/?a&b"
    assert UrlChain(load(None, few), "outlink").normalize(url) == "http://a.example/?a&b"
    named = {
        "urlnormalizer.scope.default": "org.apache.nutch.net.urlnormalizer.pass.PassURLNormalizer"
    }
    assert UrlChain(load(None, named)).normalize("http://a.example:80/") == "http://a.example:80/"
