import pytest

from crawl_ops.config.load import load
from crawl_ops.errors import ConfigError
from crawl_ops.model import ParseStatus
from crawl_ops.parse.parsers import Parsers

PLUG = """
from crawl_ops.model import ParseStatus
from crawl_ops.parse.page import Outlink, Parsed, unparsed

class Shout:
    def __init__(self, config):
        self.calls = 0

    def parse(self, page):
        if page.content == b"raise":
            raise KeyError("no")
        if page.content == b"pass":
            return unparsed(page, ParseStatus.FAILED, "not mine")
        return Parsed(ParseStatus.SUCCESS, text=page.content.decode().upper())

class Text(str):
    pass

class Texts:
    def __init__(self, config):
        pass

    def parse(self, page):
        return Parsed(
            ParseStatus.SUCCESS,
            title=Text("t"),
            outlinks=[Outlink(Text("http://a.example/"), Text("a"))],
            metadata={Text("k"): Text("v")},
        )

class Nothing(Texts):
    def parse(self, page):
        return None

class Untitled(Texts):
    def parse(self, page):
        return Parsed(ParseStatus.SUCCESS, title=7)

class Leaving:
    def __init__(self, config):
        pass

    def parse(self, page):
        raise SystemExit(3)


class Broken:
    def __init__(self, config):
        raise OSError("no disk")
"""


@pytest.fixture
def plugged(tmp_path):
    (tmp_path / "shout.py").write_text(PLUG)
    return lambda plugins: {"plugin.folders": str(tmp_path), "parse.plugins": plugins}


@pytest.mark.parametrize(
    ("content_type", "status"),
    [
        ("text/html", ParseStatus.SUCCESS),
        ("Text/HTML; charset=x", ParseStatus.SUCCESS),
        ("application/xhtml+xml", ParseStatus.SUCCESS),
        ("text/plain", ParseStatus.SUCCESS),
        ("text/xml", ParseStatus.SUCCESS),
        ("application/mathml+xml", ParseStatus.SUCCESS),
        ("image/png", ParseStatus.NOTPARSED),
        ("image/svg+xml", ParseStatus.NOTPARSED),
        ("application/gzip", ParseStatus.NOTPARSED),
        (None, ParseStatus.NOTPARSED),
    ],
)
def test_content_types(parse, content_type, status):
    page = parse("<p>x</p>", content_type=content_type)
    assert page.status is status
    if status is ParseStatus.NOTPARSED:
        assert page.reason == f"no parser for {content_type or 'an unknown type'}"


@pytest.mark.parametrize("cut", ["length", "time", "disconnect"])
def test_cut_pages_are_parsed_only_when_asked_for(parse, cut):
    page = parse("<a href=/x>x", truncated=cut)
    assert (page.status, page.reason) == (ParseStatus.NOTPARSED, f"truncated ({cut})")
    kept = parse("<a href=/x>x", truncated=cut, properties={"parser.skip.truncated": False})
    assert kept.status is ParseStatus.SUCCESS
    assert len(kept.outlinks) == 1


def test_plain_text(parse):
    page = parse("a  b\n\n http://e.test/x \t c\n", content_type="text/plain")
    assert page.text == "a b\nhttp://e.test/x c"
    assert (page.title, page.outlinks) == ("", [])
    hidden = parse("a", content_type="text/plain", headers=[("X-Robots-Tag", "noindex")])
    assert hidden.noindex


def test_other_xml(parse):
    page = parse(
        "<?xml version='1.0' encoding='iso-8859-1'?><doc><title>T</title><p>a<b/>c</p></doc>",
        content_type="application/xml",
        charset_hint=None,
    )
    assert (page.kind, page.title, page.text) == ("page", "T", "T\na\nc")
    assert page.charset == "iso-8859-1" or page.charset == "windows-1252"
    bad = parse("nothing", content_type="text/xml")
    assert bad.status is ParseStatus.FAILED_INVALID_FORMAT
    page = parse("<?xml version='1.0'?><html><title>x</title></html>", content_type="text/xml")
    assert page.title == "x"


def test_a_plug_of_one_s_own(parse, plugged):
    properties = plugged("x/y=shout:Shout")
    assert parse("a", content_type="x/y", properties=properties).text == "A"
    failed = parse("raise", content_type="x/y", properties=properties)
    assert failed.status is ParseStatus.FAILED
    assert failed.reason == "shout:Shout: KeyError: 'no'"


def test_subclasses_of_str_in_an_answer_are_taken_as_text(parse, plugged):
    parsed = parse("a", content_type="x/y", properties=plugged("x/y=shout:Texts"))
    (link,), ((key, value),) = parsed.outlinks, parsed.metadata.items()
    texts = [parsed.title, link.url, link.anchor, key, value]
    assert texts == ["t", "http://a.example/", "a", "k", "v"]
    assert {type(text) for text in texts} == {str}


@pytest.mark.parametrize(
    ("plug", "reason"),
    [
        ("Nothing", "TypeError: gave NoneType, not Parsed"),
        ("Untitled", "ValidationError: Expected `str`, got `int` - at `$.title`"),
    ],
)
def test_an_answer_that_is_none_costs_its_page_only(parse, plugged, plug, reason):
    parsed = parse("a", content_type="x/y", properties=plugged(f"x/y=shout:{plug}"))
    assert (parsed.status, parsed.reason) == ("failed", f"shout:{plug}: {reason}")


def test_parsers_of_a_type_are_tried_in_order(parse, plugged):
    properties = plugged("text/plain=shout:Shout,*=shout:Shout")
    assert parse("abc", content_type="text/plain", properties=properties).text == "ABC"
    assert parse("pass", content_type="text/plain", properties=properties).text == "pass"
    assert parse("abc", content_type="image/png", properties=properties).text == "ABC"


def test_what_a_parser_fails_on_is_read_by_the_next_and_told(parse, plugged, caplog):
    properties = plugged("text/plain=shout:Shout")
    for _ in range(2):
        parsed = parse("raise", content_type="text/plain", properties=properties)
        assert (parsed.status, parsed.text) == (ParseStatus.SUCCESS, "raise")
        assert parsed.reason == "shout:Shout: KeyError: 'no'"
    (told,) = caplog.messages
    assert told.startswith("parser shout:Shout failed on http://e.test/, so the next one is asked")


@pytest.mark.parametrize(
    ("plugins", "message"),
    [
        ("text/plain", "parse.plugins: 'text/plain' is not TYPE=NAME or TYPE=MODULE:CLASS"),
        ("x/y=nope", "parse.plugins: unknown plug-in 'nope'; there are html, office"),
        ("x/y=shout:Nope", "module shout has no class Nope"),
        ("x/y=shout:Broken", "plug-in 'shout:Broken' cannot be made: OSError: no disk"),
    ],
)
def test_plugs_that_cannot_be_loaded(plugged, plugins, message):
    config = load(overrides=plugged(plugins))
    with pytest.raises(ConfigError) as raised:
        Parsers(config)
    assert message in str(raised.value)


def test_a_parser_that_calls_sys_exit_costs_its_page_only(parse, plugged):
    parsed = parse("x", content_type="a/b", properties=plugged("a/b=shout:Leaving"))
    assert (parsed.status, parsed.reason) == ("failed", "shout:Leaving: SystemExit: 3")


def test_element_names_are_checked():
    for name in ("parser.html.line.separators", "parser.html.outlinks.ignore_tags"):
        with pytest.raises(ConfigError, match=name):
            Parsers(load(overrides={name: 'p"]'}))
