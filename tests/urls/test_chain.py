"""The chain: order, scopes, verdicts, plug-ins of one's own, fingerprint."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawl_ops.config.load import load
from crawl_ops.errors import ConfigError, CrawlError
from crawl_ops.model import Verdict
from crawl_ops.urls.chain import UrlChain
from crawl_ops.urls.plugs import SCOPES

OWN = """
class NoCalendarUrlFilter:
    name = "no_calendar"

    def __init__(self, words=("calendar", "ical")):
        self._words = words

    def accepts(self, url):
        return not any(word in url for word in self._words)


class BrokenUrlFilter:
    def accepts(self, url):
        raise KeyError("x")


class HomeUrlNormalizer:
    name = "home"

    def normalize(self, url):
        return None if "drop" in url else url.replace("/home", "/")


class NumberUrlNormalizer:
    def normalize(self, url):
        return 7


class NoMethod:
    pass


class NeedsArguments:
    def __init__(self, one):
        pass


class LeavingUrlFilter:
    def accepts(self, url):
        raise SystemExit(3)


class StoppedUrlFilter:
    def accepts(self, url):
        raise KeyboardInterrupt


class Text(str):
    pass


class TextNormalizer:
    def normalize(self, url):
        return Text(url)


class LeavesAtOnce:
    def __init__(self):
        raise SystemExit
"""


@pytest.fixture
def own(tmp_path):
    (tmp_path / "own.py").write_text(OWN)

    def chain(**properties):
        named = {key.replace("_", "."): value for key, value in properties.items()}
        return UrlChain(load(None, {"plugin.folders": str(tmp_path), **named}))

    return chain


def test_a_url_is_normalized_then_filtered():
    chain = UrlChain(load())
    assert chain.judge("HTTP://A.example:80/x/../y?z#t") == Verdict("http://a.example/y?z")
    assert chain.judge("HTTP://A.example/x.%67if").rejected_by == "regex"


def test_normalizing_and_filtering_can_be_left_out():
    url = "HTTP://A.example/x.gif"
    assert UrlChain(load(), filter=False).judge(url).url == "http://A.example/x.gif".lower()
    assert UrlChain(load(), normalize=False).judge(url).rejected_by == "regex"
    assert UrlChain(load(), normalize=False, filter=False).judge(url).url == url


@pytest.mark.parametrize(
    ("url", "rule"),
    [
        ("", "is no URL"),
        ("page.html", "is no URL"),
        ("http://a\ud800.example/", "contains a lone surrogate"),
        ("http://a.example/\0", "contains a NUL character"),
        ("http://a.example/" + "x" * 5_000_000, "longer than 65536 characters"),
        ("http://a.example/" + "\u00e9" * 30_000, "is no URL"),
    ],
    ids=lambda text: ascii(text)[:40],
)
def test_malformed(url, rule):
    assert UrlChain(load()).judge(url) == Verdict(None, "malformed", rule)
    assert UrlChain(load()).normalize(url) is None


def test_text_that_cannot_be_stored_is_malformed_whatever_the_plugs():
    chain = UrlChain(load(), normalize=False, filter=False)
    assert chain.judge("http://a\ud800.example/").rejected_by == "malformed"


@given(st.text())
def test_no_text_is_an_exception(text):
    verdict = UrlChain(load()).judge(text)
    assert (verdict.url is None) is (verdict.rejected_by is not None)


def test_all_filters_must_accept():
    chain = UrlChain(load(None, {"urlfilter.order": "prefix regex validator"}))
    assert chain.judge("ftp://a.example/").rejected_by == "prefix"
    assert chain.judge("http://a.example/x.gif").rejected_by == "regex"
    assert chain.judge("http://localhost/").rejected_by == "validator"


def test_nutch_names_of_plugs():
    order = "org.apache.nutch.net.urlnormalizer.basic.BasicURLNormalizer urlnormalizer-querystring"
    filters = (
        "urlfilter-prefix,org.apache.nutch.urlfilter.validator.UrlValidator"
        ",org.apache.nutch.urlfilter.domaindenylist.DomainDenylistURLFilter"
    )
    chain = UrlChain(load(None, {"urlnormalizer.order": order, "urlfilter.order": filters}))
    assert chain.judge("http://a.example?b&a").url == "http://a.example/?a&b"
    assert chain.judge("http://localhost/").rejected_by == "validator"


@pytest.mark.parametrize("scope", SCOPES)
def test_every_scope_has_a_chain(scope):
    assert UrlChain(load(), scope).judge("http://A.example").url == "http://a.example/"


def test_an_order_for_one_scope():
    config = load(
        None,
        {
            "urlnormalizer.order.inject": "basic querystring",
            "urlnormalizer.order.generate_host_count": "pass",
        },
    )
    url = "http://a.example/?b&a"
    assert UrlChain(config, "inject").normalize(url) == "http://a.example/?a&b"
    assert UrlChain(config, "outlink").normalize(url) == url
    assert UrlChain(config, "generate_host_count").normalize("HTTP://A/") == "HTTP://A/"


def test_the_chain_is_repeated_until_nothing_changes():
    rule = "<regex><pattern>aa</pattern><substitution>a</substitution></regex>"
    base = {"urlnormalizer.order": "regex", "urlnormalizer.regex.rules": f"<x>{rule}</x>"}
    once = UrlChain(load(None, base), filter=False)
    often = UrlChain(load(None, {**base, "urlnormalizer.loop.count": 10}), filter=False)
    assert once.normalize("aaaaaaaa") == "aaaa"
    assert often.normalize("aaaaaaaa") == "a"


@pytest.mark.parametrize(
    ("properties", "scope", "complaint"),
    [
        ({}, "nowhere", "unknown scope 'nowhere'"),
        ({"urlfilter.order": "regxe"}, "default", r"urlfilter\.order: unknown plug-in 'regxe'"),
        ({"urlnormalizer.order": "none"}, "default", r"urlnormalizer\.order: unknown plug-in"),
        ({"urlnormalizer.order.inject": "none"}, "inject", r"urlnormalizer\.order\.inject: "),
    ],
)
def test_what_is_not_there_is_a_configuration_error(properties, scope, complaint):
    with pytest.raises(ConfigError, match=complaint):
        UrlChain(load(None, properties), scope)


def test_a_filter_of_ones_own(own):
    chain = own(urlfilter_order="regex own:NoCalendarUrlFilter")
    assert chain.judge("http://a.example/x").url == "http://a.example/x"
    refused = Verdict(None, "no_calendar", "does not accept it")
    assert chain.judge("http://a.example/ical") == refused


def test_a_subclass_of_str_is_taken_as_text(own):
    verdict = own(urlnormalizer_order="basic own:TextNormalizer").judge("http://a.example/")
    assert (verdict.url, type(verdict.url)) == ("http://a.example/", str)


def test_a_filter_that_raises_lets_nothing_through(own):
    chain = own(urlfilter_order="own:BrokenUrlFilter")
    with pytest.raises(CrawlError, match=r"own:BrokenUrlFilter.*http://a.example/.*KeyError"):
        chain.judge("http://a.example/")


def test_a_filter_that_calls_sys_exit_is_a_failure_of_the_plug_in(own):
    chain = own(urlfilter_order="own:LeavingUrlFilter")
    with pytest.raises(CrawlError, match=r"own:LeavingUrlFilter.*http://a.example/.*SystemExit: 3"):
        chain.judge("http://a.example/")
    with pytest.raises(KeyboardInterrupt):
        own(urlfilter_order="own:StoppedUrlFilter").judge("http://a.example/")


def test_a_plug_in_that_calls_sys_exit_when_it_is_made_or_loaded(own, tmp_path):
    with pytest.raises(ConfigError, match="plug-in 'own:LeavesAtOnce' cannot be made: SystemExit"):
        own(urlfilter_order="own:LeavesAtOnce")
    (tmp_path / "own.py").write_text("import sys; sys.exit()")
    with pytest.raises(ConfigError, match="plug-in 'own:Any' cannot be loaded: SystemExit"):
        own(urlfilter_order="own:Any")


def test_a_folder_of_plug_ins_that_is_not_there_is_named(tmp_path):
    config = load(None, {"plugin.folders": str(tmp_path / "nowhere")})
    with pytest.raises(ConfigError, match=r"plugin\.folders: there is no folder .*nowhere"):
        UrlChain(config)


def test_a_normalizer_of_ones_own(own):
    chain = own(urlnormalizer_order="basic own:HomeUrlNormalizer")
    assert chain.judge("http://a.example/home").url == "http://a.example/"
    assert chain.judge("http://a.example/drop") == Verdict(
        None, "home", "dropped by the normalizer"
    )


def test_a_normalizer_must_give_text(own):
    with pytest.raises(CrawlError, match="gave int"):
        own(urlnormalizer_order="own:NumberUrlNormalizer").judge("http://a.example/")


@pytest.mark.parametrize(
    ("name", "complaint"),
    [("NoMethod", "has no method accepts"), ("NeedsArguments", "cannot be made")],
)
def test_a_plug_in_that_is_none(own, name, complaint):
    with pytest.raises(ConfigError, match=rf"urlfilter\.order: plug-in 'own:{name}' {complaint}"):
        own(urlfilter_order=f"own:{name}")


def test_the_fingerprint_changes_with_whatever_decides(own, tmp_path):
    def mark(scope="default", parts=None, **properties):
        config = load(None, {key.replace("__", "."): value for key, value in properties.items()})
        return UrlChain(config, scope, **(parts or {})).fingerprint()

    assert mark() == mark() == mark("outlink")
    marks = [
        mark(),
        mark(parts={"filter": False}),
        mark(parts={"normalize": False}),
        mark(urlfilter__order="regex prefix"),
        mark(urlfilter__order="prefix regex"),
        mark(urlnormalizer__order="regex basic"),
        mark(urlnormalizer__loop__count=2),
        mark(urlfilter__regex__rules="+."),
        mark(urlfilter__regex__rules="-x\n+."),
        mark(urlnormalizer__basic__host__idn="toUnicode"),
        mark(urlfilter__order="fast"),
        mark(urlfilter__order="fast", urlfilter__fast__url__max__length=9),
        own(urlfilter_order="own:NoCalendarUrlFilter").fingerprint(),
    ]
    (tmp_path / "own.py").write_text(OWN.replace('"ical"', '"ics"'))
    marks.append(own(urlfilter_order="own:NoCalendarUrlFilter").fingerprint())
    assert len(set(marks)) == len(marks)
    assert all(len(bytes.fromhex(mark)) == 32 for mark in marks)


@pytest.mark.parametrize(
    ("properties", "url", "without"),
    [
        ({}, "http://a.test/x#y", "http://a.test/x"),
        ({}, "ftp://a.test/x#y", "ftp://a.test/x#y"),
        ({}, "http://a.test/x#\0", "http://a.test/x#\0"),
        ({"urlnormalizer.order": "ajax,basic"}, "http://a.test/#!y", "http://a.test/#!y"),
        ({"urlnormalizer.order": "regex"}, "http://a.test/#y", "http://a.test/#y"),
    ],
)
def test_a_fragment_goes_only_where_it_decides_nothing(properties, url, without):
    chain = UrlChain(load(None, properties))
    assert chain.without_fragment(url) == without
    assert chain.judge(without) == chain.judge(url)
