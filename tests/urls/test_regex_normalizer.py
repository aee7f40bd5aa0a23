"""regex-normalize.xml: our own, and how such files are read."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from crawl_ops.config.load import load
from crawl_ops.errors import ConfigError
from crawl_ops.urls.chain import UrlChain

DEFAULT = UrlChain(load(), filter=False).normalize
RULE = "<regex><pattern>{}</pattern><substitution>{}</substitution></regex>"


def chain(xml, **more):
    properties = {"urlnormalizer.order": "regex", "urlnormalizer.regex.rules": xml, **more}
    return UrlChain(load(None, properties), filter=False)


@pytest.mark.parametrize(
    ("url", "becomes"),
    [
        ("http://e.test/;jsessionid=E46.tp09v_2?p=v", "http://e.test/?p=v"),
        ("http://e.test/a/b;jsessionid=AB12", "http://e.test/a/b"),
        ("http://e.test/a;JSESSIONID=AB12!34/b?c", "http://e.test/a?c"),
        ("http://e.test/a;sid=1/b;c=2", "http://e.test/a/b;c=2"),
        ("http://e.test/x?PHPSESSID=1&a=b", "http://e.test/x?a=b"),
        ("http://e.test/x?a=b&phpsessid=1", "http://e.test/x?a=b"),
        ("http://e.test/x?a=b&sid=1&_sid=2&c=d", "http://e.test/x?a=b&c=d"),
        ("http://e.test/x?sid=1", "http://e.test/x"),
        ("http://e.test/x?Bv_SessionID=1&x=y", "http://e.test/x?x=y"),
        ("http://e.test/x?ASPSESSIONIDCSQ=1&x=y", "http://e.test/x?x=y"),
        ("http://e.test/x?NewsID=1&addressid=2&side=3&_pid=4", None),
        ("http://e.test/x?u=/sid=1", None),
        ("http://e.test/index.html", None),
        ("http://e.test/default.asp", None),
        ("http://e.test/x?a=b?", "http://e.test/x?a=b"),
        ("http://e.test/x?&&a&&&b&", "http://e.test/x?a&b"),
        ("http://e.test/x?", "http://e.test/x"),
        ("http://e.test/..;sid=1/x", "http://e.test/x"),
    ],
)
def test_our_own_rules(url, becomes):
    assert DEFAULT(url) == (becomes or url)


PIECES = [
    "?",
    "&",
    ";",
    "sid=1",
    "PHPSESSID=",
    "jsessionid=a",
    "a=b",
    "/",
    "..",
    ".",
    "%41",
    "#",
    "=",
    "x",
]


@settings(max_examples=800, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=14).map("".join))
@example("..;sid=1/;sid=2/?sid=1?sid=2&&")
def test_the_default_chain_changes_nothing_twice(rest):
    once = DEFAULT("http://a.example/" + rest)
    assert once is not None
    assert DEFAULT(once) == once


def test_rules_in_order_with_groups():
    xml = "<x>" + RULE.format("(a)(b)?", "[$1$2]") + RULE.format(r"\]\[", "") + "</x>"
    assert chain(xml).normalize("aab") == "[aab]"


def test_entities_of_xml_itself():
    assert chain("<x>" + RULE.format("&amp;&lt;", "&#x26;") + "</x>").normalize("&<") == "&"


def test_rules_of_a_scope(tmp_path):
    file = tmp_path / "outlink.xml"
    file.write_text("<x>" + RULE.format("a", "scoped") + "</x>")
    config = load(
        None,
        {
            "urlnormalizer.order": "regex",
            "urlnormalizer.regex.rules": "<x>" + RULE.format("a", "general") + "</x>",
            "urlnormalizer.regex.file.outlink": str(file),
        },
    )
    assert UrlChain(config, "outlink", filter=False).normalize("a") == "scoped"
    assert UrlChain(config, "inject", filter=False).normalize("a") == "general"


BOMB = '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><x>&b;</x>'


@pytest.mark.parametrize(
    ("xml", "complaint"),
    [
        (BOMB, r"^urlnormalizer\.regex\.rules:1: a document type is not allowed here"),
        ('<!DOCTYPE x SYSTEM "file:///etc/passwd"><x/>', "a document type is not allowed"),
        ("<x>\n<regex>", r"rules:2: is not XML"),
        ("nonsense", "is not XML"),
        ("<x>\n\n<regex><substitution/></regex></x>", r"rules:3: a <regex> needs a <pattern>"),
        ("<x>\n" + RULE.format("(", "") + "</x>", r"rules:2: '\(' is no regular expression"),
        ("<x>" + RULE.format("a", "$1") + "</x>", "there is no group 1"),
    ],
)
def test_bad_files_are_configuration_errors(xml, complaint):
    with pytest.raises(ConfigError, match=complaint):
        chain(xml)


def test_a_rule_may_not_leave_a_url_that_basic_would_not():
    xml = "<x>" + RULE.format("bad", " ../ok") + "</x>"
    tidy = chain(xml, **{"urlnormalizer.order": "basic regex"})
    assert tidy.normalize("http://a.example/x/bad") == "http://a.example/x/%20../ok"
