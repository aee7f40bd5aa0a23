"""The stylesheet that writes a page's tree out as text with records in it.

libxslt walks the tree in C and gives one string: the visible text, a MARK where a block begins or
ends, and between two RECORD characters what an element says: a letter for the kind, then its
attributes, FIELD characters between them. So Python touches links, not nodes.
"""

import re
from collections.abc import Iterable

from lxml import etree

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.errors import ConfigError
from crawl_ops.parse.text import MARK

RECORD = "\x80"
FIELD = "\x82"
"""C1 controls that no character reference of HTML yields; decoding removes them."""

CELLS = ("button", "iframe", "img", "input", "option", "select", "td", "textarea", "th")
"""Elements that end a word but not a line."""

LINES = ("br", "caption", "form", "legend", "noscript", "optgroup", "summary", "title", "tr")
"""Elements that always end a line, beside parser.html.line.separators."""

HIDDEN = ("iframe", "noembed", "noframes", "script", "style")
"""Elements whose content is not on the page."""

# Kind of record and what it holds; see html_reader for what is made of it.
_LINKS = {
    "area[@href]": ("R", "@href @rel @alt"),
    "frame[@src]": ("S", "@src"),
    "iframe[@src]": ("S", "@src"),
    "img": ("I", "@alt @src @srcset"),
    "link[@href]": ("L", "@href @rel"),
    "script[@src]": ("S", "@src"),
    "source": ("I", "@alt @src @srcset"),
}
_OTHERS = {
    "base[@href][not(ancestor::noscript)]": ("B", "@href"),
    "html": ("H", "@lang @*[name()='xml:lang']"),
    "meta[@content]": (
        "M",
        "@name @property @http-equiv[not(ancestor::noscript)] @content",
    ),
    "title[not(ancestor::svg)]": ("T", "string()"),
}

_NAME = re.compile(r"[a-z][a-z0-9-]{0,40}")
_SHEET = """<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="text"/>{templates}</xsl:stylesheet>"""
_TEMPLATE = '<xsl:template match="{match}" priority="{priority}">{body}</xsl:template>'
_CHILDREN = "<xsl:apply-templates/>"
# The stubs have no constructor for it.
_NO_ACCESS: etree.XSLTAccessControl = getattr(etree.XSLTAccessControl, "DENY_ALL")  # noqa: B009


def page_sheet(config: CrawlConfig) -> etree.XSLT:
    """The stylesheet for a configuration; ConfigError for what is no element name."""
    parser = config.parser
    separators = _names("parser.html.line.separators", parser.html_line_separators)
    ignored = _names("parser.html.outlinks.ignore_tags", parser.html_outlinks_ignore_tags)
    if not parser.html_form_use_action:
        ignored.add("form")
    lines = {*LINES, *separators} - {"form", "title"}
    records = {m: v for m, v in _LINKS.items() if m.partition("[")[0] not in ignored} | _OTHERS
    templates = [_template("|".join(sorted(lines)), 1, MARK + _CHILDREN + MARK)]
    templates.append(_template("|".join(CELLS), 2, f" {_CHILDREN} "))
    templates.append(_template("|".join(HIDDEN), 3, ""))
    templates.append(_anchors("a[@href]", "A", "@href @rel", "", "a" in ignored))
    templates.append(_anchors("form", "F", "@action @method", MARK, "form" in ignored))
    for match, (kind, fields) in records.items():
        name = match.partition("[")[0]
        mark = MARK if name in {*lines, "title"} else " " if name in CELLS else ""
        inner = "" if name in {"iframe", "script"} else _CHILDREN
        templates.append(_template(match, 4, _record(kind, fields) + mark + inner + mark))
    sheet = _SHEET.format(templates="".join(templates))
    return etree.XSLT(etree.XML(sheet), access_control=_NO_ACCESS)


def _names(prop: str, names: Iterable[str]) -> set[str]:
    found = {name.lower() for name in names}
    for name in sorted(found):
        if not _NAME.fullmatch(name):
            raise ConfigError(f"{prop}: {name!r:.100} is no element name")
    return found


def _template(match: str, priority: int, body: str) -> str:
    return _TEMPLATE.format(match=match, priority=priority, body=_literal(body))


def _literal(body: str) -> str:
    # White space alone is no text in a stylesheet unless it is said to be.
    return re.sub(r"^ | $", "<xsl:text> </xsl:text>", body)


def _anchors(match: str, kind: str, fields: str, mark: str, ignored: bool) -> str:
    if ignored:
        return _template(match, 4, mark + _CHILDREN + mark)
    end = _record(kind.lower(), "")
    return _template(match, 4, _record(kind, fields) + mark + _CHILDREN + end + mark)


def _record(kind: str, fields: str) -> str:
    values = "".join(f'{FIELD}<xsl:value-of select="{field}"/>' for field in fields.split())
    return f"{RECORD}{kind}{values}{RECORD}"
