"""PDF files: text, title, language, links; broken, locked and endless ones."""

import io
import random

import pytest
from pypdf import PdfReader, PdfWriter

from crawl_ops.config.load import load
from crawl_ops.model import ParseStatus
from crawl_ops.parse import parsers, pdf
from crawl_ops.parse.page import Page

PDF = "application/pdf"


def made(*texts, links=()):
    """A PDF of one line a page; links stand on the first."""
    notes = " ".join(
        f"<< /Subtype /Link /Rect [0 0 9 9] /A << /S /URI /URI ({url}) >> >>" for url in links
    )
    kids = " ".join(f"{5 + 2 * n} 0 R" for n in range(len(texts)))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R /Lang (en-GB) >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(texts)} >>",
        "<< /Title (On bees) >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for number, text in enumerate(texts):
        objects.append(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 300] "
            f"/Resources << /Font << /F 4 0 R >> >> /Contents {6 + 2 * number} 0 R "
            f"/Annots [{notes if not number else ''}] >>"
        )
        stream = f"BT /F 12 Tf 20 200 Td ({text}) Tj ET"
        objects.append(f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream")
    file, places = b"%PDF-1.4\n", []
    for number, text in enumerate(objects, 1):
        places.append(len(file))
        file += f"{number} 0 obj\n{text}\nendobj\n".encode("latin-1")
    table = "".join(f"{place:010d} 00000 n \n" for place in places)
    head = f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}"
    end = f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R /Info 3 0 R >>\n"
    return file + f"{head}{end}startxref\n{len(file)}\n%%EOF\n".encode()


def locked(content, password):
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(content)))
    writer.encrypt(password, "owner", algorithm="RC4-128")
    file = io.BytesIO()
    writer.write(file)
    return file.getvalue()


def test_text_title_language_links(parse):
    file = made("Bees fly", "Second page", links=["http://b.test/x", "/near", "mailto:a@b.test"])
    page = parse(file, content_type=PDF)
    assert page.status is ParseStatus.SUCCESS
    assert (page.title, page.language) == ("On bees", "en")
    assert page.text.splitlines() == ["Bees fly", "Second page"]
    assert [link.url for link in page.outlinks] == ["http://b.test/x", "http://e.test/near"]
    assert page.rejected == {"scheme=mailto": 1}
    assert page.outlinks_found == 3


def test_headers_count(parse):
    headers = [("X-Robots-Tag", "noindex"), ("Link", "<http://e.test/c>; rel=canonical")]
    page = parse(made("x"), content_type=PDF, headers=headers)
    assert (page.noindex, page.canonical_url) == (True, "http://e.test/c")


def test_without_pypdf_there_is_no_parser(monkeypatch):
    monkeypatch.delitem(parsers.BUILT_IN, "pdf")
    monkeypatch.delitem(parsers._TYPES, PDF)
    url = "http://e.test/x.pdf"
    page = parsers.Parsers(load()).parse(Page(url, made("x"), url, PDF, None))
    assert (page.status, page.reason) == (ParseStatus.NOTPARSED, f"no parser for {PDF}")


def test_a_locked_file(parse):
    page = parse(locked(made("secret"), "password"), content_type=PDF)
    assert (page.status, page.reason) == (ParseStatus.FAILED, "pdf: it is encrypted")
    assert parse(locked(made("open"), ""), content_type=PDF).text == "open"


def test_a_file_that_takes_too_long_gives_what_was_read(parse):
    page = parse(made("one", "two"), content_type=PDF, properties={"parser.timeout": 0.0})
    assert page.status is ParseStatus.SUCCESS
    assert page.reason == "stopped at page 1 of 2: half of parser.timeout is over"
    assert page.metadata["parser.stopped"] == page.reason


def test_text_and_pages_are_bounded(parse, monkeypatch):
    monkeypatch.setattr(pdf, "MAX_TEXT_LENGTH", 5)
    page = parse(made("one", "second", "three"), content_type=PDF)
    assert page.text.splitlines() == ["one", "second"]
    assert page.reason == "stopped at page 2 of 3: longer than what is kept"
    monkeypatch.setattr(pdf, "MAX_PAGES", 1)
    page = parse(made("one", "two"), content_type=PDF)
    assert (page.text, page.reason) == ("one", "only the first 1 of 2 pages")


@pytest.mark.parametrize("content", [b"", b"%PDF-1.7", b"%PDF-1.4\n%%EOF", made("x")[:100]])
def test_no_pdf(parse, content):
    page = parse(content, content_type=PDF)
    assert page.status is ParseStatus.FAILED
    assert page.reason.startswith("pdf: ")


def test_any_change_of_bytes_gives_a_result(parse):
    file = made("Bees fly", links=["http://b.test/x"])
    chance = random.Random(1)
    for _ in range(200):
        changed = bytearray(file)
        for _ in range(chance.randrange(1, 8)):
            changed[chance.randrange(len(changed))] = chance.randrange(256)
        page = parse(bytes(changed), content_type=PDF)
        assert page.status is ParseStatus.SUCCESS or page.reason.startswith("pdf: ")
