"""Hostile pages: each ends soon, keeps what was read, and says what was left out."""

import time

import pytest

from crawl_ops.model import ParseStatus
from crawl_ops.parse.links import MAX_CHARACTERS

LIMIT_S = 5.0

HOSTILE = {
    "nested": b"<title>t</title><a href=/first>f</a>" + b"<div>" * 100_000 + b"<a href=/last>l",
    "inline": b"<span>" * 100_000 + b"x",
    "wrong ends": b"<div>" * 50_000 + b"</p>" * 50_000,
    "links": b"<a href=/x>y</a>" * 110_000,
    "open links": b"<a href=/x>y" * 50_000,
    "srcset": b"<img srcset='" + b"a," * 200_000 + b"'>",
    "brackets": b"<img srcset='" + b"a (" * 200_000 + b"'>",
    "metas": b"<meta name=keywords content=b>" * 50_000,
    "attributes": b"<meta charset" + b" a=b" * 16_000 + b">",
    "many attributes": b"<a " + b"".join(b"x%d=1 " % n for n in range(100_000)) + b">",
    "attributes with ends in them": b"<a "
    + b"".join(b"x%d='>' " % n for n in range(100_000))
    + b">",
    "names only": b"<a " + b"".join(b"x%d " % n for n in range(100_000)) + b">",
    "quotes": b'<a "' * 16_000 + b"charset",
    "less than": b"<" * 500_000 + b"charset",
    "comments": b"<!--" * 100_000 + b"charset",
    "comments in a document type": b"<!DOCTYPE x [" + b"<!--<![CDATA[" * 40_000,
    "references": b"&#1;" * 200_000,
    "ampersands": b"&" * 500_000,
    "blanks": b" \n" * 500_000 + b"x",
    "refresh": b"<meta http-equiv=refresh content='" + b" " * 60_000 + b"'>",
    "robots": b"<meta name=robots content='" + b"a:," * 60_000 + b"'>",
    "template": b"<template>" * 50_000 + b"</template>" * 49_999,
    "templates without ends": b"<template " * 100_000,
    "ends without ends": b"</html " * 140_000,
    "ends of bodies": b"</body/" * 140_000,
    "far above": b"<a href='" + b"../" * 4_000_000 + b"'>k</a>",
    "long base": b"<base href='http://e.test/" + b"a" * 60_000 + b"/'>" + b"<a href=x>" * 10_000,
    "long word": b"x" * 12_000_000,
    "long link": b"<a href='" + b"x" * 12_000_000 + b"'>k</a>",
    "data link": b"<img src='data:" + b"x" * 12_000_000 + b"'>",
    "tables": b"<table><tr><td>" * 30_000,
    "declarations": b"<?xml encoding='" * 30_000,
}


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("content_type", ["text/html", "text/xml"])
def test_hostile_pages_end_soon(parse, name, content_type):
    start = time.process_time()
    page = parse(HOSTILE[name], content_type=content_type)
    assert time.process_time() - start < LIMIT_S
    assert page.status is not ParseStatus.FAILED, page.reason


def test_links_made_long_by_their_base_are_bounded_in_all(parse):
    page = parse(HOSTILE["long base"])
    assert sum(len(link.url) for link in page.outlinks) <= MAX_CHARACTERS
    assert page.rejected == {"length": 10_000 - len(page.outlinks)}
    assert page.outlinks_found == 10_000


def test_a_page_nested_too_deeply_keeps_what_was_read(parse):
    page = parse(HOSTILE["nested"])
    assert (page.title, [link.url for link in page.outlinks]) == ("t", ["http://e.test/first"])
    assert "depth" in page.reason
    assert page.metadata["parser.stopped"] == page.reason


def test_nesting_of_two_thousand_elements_is_read(parse):
    page = parse(b"<div>" * 2000 + b"x<a href=/last>l")
    assert (page.reason, page.text, len(page.outlinks)) == (None, "xl", 1)


def test_links_are_bounded_and_counted(parse):
    page = parse(HOSTILE["links"])
    assert len(page.outlinks) == 100_000
    assert page.rejected == {"links.per.page": 10_000}
    assert page.outlinks_found == 110_000


def test_entities_of_an_xml_page_are_not_expanded(parse):
    bomb = b"<!DOCTYPE x [<!ENTITY a 'aaaaaaaaaa'>" + b"".join(
        b"<!ENTITY %s '%s'>" % (bytes([98 + n]), b"&%s;" % bytes([97 + n]) * 10) for n in range(9)
    )
    page = parse(bomb + b"]><x>t&j;</x>", content_type="text/xml")
    assert len(page.text) < 100


def test_the_first_attributes_of_an_element_are_read(parse):
    many = b"".join(b" x%d=1" % n for n in range(30_000))
    page = parse(
        b"<a href=/x" + many + b" href=/y>a</a><a title='" + b"y" * 99_999 + b"' href=/z>z"
    )
    assert [(link.url, link.anchor) for link in page.outlinks] == [
        ("http://e.test/x", "a"),
        ("http://e.test/z", "z"),
    ]
