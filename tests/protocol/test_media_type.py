"""Header, suffix and first bytes weighed together."""

import gzip
import io
import zipfile

import pytest

from crawl_ops.protocol.media_type import detect, parse_type

HTML = b"<!doctype html><html><head><title>t</title></head><body></body></html>"
PNG = b"\x89PNG\r\n\x1a\n" + bytes(20)
PDF = b"%PDF-1.7\n%\xe2\xe3"
ZIP = b"PK\x03\x04" + bytes(26)
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(8)
DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
ATOM = b'<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom"></feed>'
SITEMAP = b'<?xml version="1.0"?>\n<!-- x -->\n<urlset xmlns="x"></urlset>'


def test_headers_as_the_standard_parses_them(vectors):
    for case in vectors("media_types.jsonl"):
        if case["ask"] != "parse":
            continue
        media_type, charset = parse_type(case["content_type"])
        serialized = case["serialized"]
        assert media_type == (serialized and serialized.partition(";")[0]), case
        expected = charset_of(serialized or "")
        assert (charset or None) == (expected or None), case


def charset_of(serialized: str) -> str | None:
    """The value of the charset parameter in a serialized type, which is well formed."""
    _, found, value = serialized.partition(";charset=")
    if not found:
        return None
    if value.startswith('"'):
        return value[1:].removesuffix('"').replace('\\"', '"').replace("\\\\", "\\")
    return value.partition(";")[0]


def test_nutchs_facts(vectors):
    for case in vectors("media_types.jsonl"):
        if case["ask"] != "detect":
            continue
        declared, _ = parse_type(case["content_type"] or "")
        content = (case["content"] or "").encode()
        found = detect(declared, case["url"], content, magic=case["magic"])
        assert found == case["expected"], case


@pytest.mark.parametrize(
    ("declared", "name", "content", "expected"),
    [
        (None, "", HTML, "text/html"),
        (None, "", b"  \n<!-- c --> <HTML>", "text/html"),
        (None, "", b"\xef\xbb\xbf<html>", "text/html"),
        (None, "", "\ufeff<html>x".encode("utf-16-le"), "text/html"),
        (None, "", b"just words", "text/plain"),
        (None, "x.css", b"a { b: c }", "text/css"),
        (None, "x.html", b"words first, <b>then</b>", "text/html"),
        (None, "x.html", PNG, "image/png"),
        (None, "x.png", b"no image", "text/plain"),
        (None, "x.php?f=a.pdf", HTML, "text/html"),
        (None, "", b"\x01\x02\x03 what", "application/octet-stream"),
        (None, "x.mp3", b"\xff\xfb\x90\x00\x01", "audio/mpeg"),
        (None, "", b"", None),
        (None, "x.pdf", b"", "application/pdf"),
        ("text/html", "", b"", "text/html"),
        ("text/plain", "", HTML, "text/plain"),
        ("text/plain", "page.html", HTML, "text/plain"),
        ("text/plain", "", PDF, "application/pdf"),
        ("text/plain", "", PNG, "image/png"),
        ("text/html", "", PDF, "application/pdf"),
        ("text/html", "", b"words only", "text/html"),
        ("text/html", "", ATOM, "application/atom+xml"),
        ("text/html", "", b"<rss version='2.0'><channel/></rss>", "application/rss+xml"),
        ("text/html", "sitemap.xml", SITEMAP, "application/xml"),
        ("text/html", "", b"<?xml version='1.0'?><!DOCTYPE html><html>", "text/html"),
        ("application/xml", "", ATOM, "application/atom+xml"),
        ("text/xml", "", SITEMAP, "text/xml"),
        ("text/xml", "", b"<?xml version='1.0'?><html xmlns='x'>", "application/xhtml+xml"),
        ("application/xhtml+xml", "", HTML, "application/xhtml+xml"),
        ("application/octet-stream", "", HTML, "text/html"),
        ("application/octet-stream", "x.pdf", PDF, "application/pdf"),
        ("application/pdf", "", HTML, "text/html"),
        ("image/jpeg", "", HTML, "text/html"),
        ("image/svg+xml", "", b"<svg xmlns='x'/>", "image/svg+xml"),
        ("image/gif", "", PNG, "image/png"),
        ("application/json", "", b'{"a": 1}', "application/json"),
        ("application/json", "", b"<html>", "application/json"),
        (DOCX, "", ZIP, DOCX),
        ("application/zip", "x.docx", ZIP, "application/zip"),
        ("text/html", "x.docx", ZIP, DOCX),
        (None, "", ZIP, "application/zip"),
        ("application/msword", "", OLE, "application/msword"),
        (None, "x.xls", OLE, "application/vnd.ms-excel"),
        ("application/x-gzip", "", gzip.compress(b"", mtime=0), "application/x-gzip"),
        (None, "sitemap.xml.gz", gzip.compress(b"", mtime=0), "application/gzip"),
    ],
)  # fmt: skip
def test_is_detected(declared, name, content, expected):
    assert detect(declared, f"http://a.example/d.d/{name}", content) == expected


def test_without_magic_header_then_suffix():
    url = "http://a.example/x.html"
    assert detect("image/png", url, HTML, magic=False) == "image/png"
    assert detect(None, url, PNG, magic=False) == "text/html"
    assert detect(None, "http://a.example.com", PNG, magic=False) is None


OOXML = "application/vnd.openxmlformats-officedocument."
ODT = "application/vnd.oasis.opendocument.text"


@pytest.mark.parametrize(
    ("members", "becomes"),
    [
        (["[Content_Types].xml", "word/document.xml"], OOXML + "wordprocessingml.document"),
        (["_rels/.rels", "xl/workbook.xml"], OOXML + "spreadsheetml.sheet"),
        (["[Content_Types].xml", "ppt/presentation.xml"], OOXML + "presentationml.presentation"),
        (["word/document.xml"], "application/zip"),
        (["readme.txt"], "application/zip"),
    ],
)
def test_office_files_are_told_by_what_is_in_the_zip(members, becomes):
    assert detect(None, "http://a.example/x", packed(dict.fromkeys(members, "x"))) == becomes
    assert detect("application/zip", "http://a.example/x", packed(dict.fromkeys(members, "x"))) == (
        becomes
    )


def test_open_documents_name_their_type():
    named = {"mimetype": ODT, "content.xml": "x"}
    assert detect("application/octet-stream", "http://a.example/x", packed(named)) == ODT
    hostile = {"mimetype": "application/pdf", "content.xml": "x"}
    assert detect(None, "http://a.example/x", packed(hostile)) == "application/zip"


def packed(members):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, text in members.items():
            archive.writestr(name, text)
    return file.getvalue()
