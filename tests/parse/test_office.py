"""Office files: text, title, language, links; broken and hostile ones cost their own row only."""

import io
import random
import zipfile

import pytest

from crawl_ops.model import ParseStatus

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
R = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
RELS = "http://schemas.openxmlformats.org/package/2006/relationships"
A = "http://schemas.openxmlformats.org/drawingml/2006/main"
ODF = "urn:oasis:names:tc:opendocument:xmlns"
OOXML = "application/vnd.openxmlformats-officedocument."
DOCX = OOXML + "wordprocessingml.document"
CORE = (
    '<cp:coreProperties xmlns:cp="c" xmlns:dc="d"><dc:title>On  bees</dc:title>'
    "<dc:language>de-AT</dc:language></cp:coreProperties>"
)


def packed(**parts):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            archive.writestr(name, text)
    return file.getvalue()


def relations(**targets):
    links = "".join(
        f'<Relationship Id="{name}" Type="{R}/hyperlink" Target="{to}" TargetMode="External"/>'
        for name, to in targets.items()
    )
    image = f'<Relationship Id="i" Type="{R}/image" Target="media/i.png"/>'
    return f'<Relationships xmlns="{RELS}">{links}{image}</Relationships>'


def docx(body, **links):
    text = f'<w:document xmlns:w="{W}" xmlns:r="{R}"><w:body>{body}</w:body></w:document>'
    return packed(
        **{
            "[Content_Types].xml": "<Types/>",
            "word/document.xml": text,
            "word/_rels/document.xml.rels": relations(**links),
            "docProps/core.xml": CORE,
        }
    )


def p(*runs):
    return "<w:p>" + "".join(f"<w:r><w:t>{run}</w:t></w:r>" for run in runs) + "</w:p>"


LINK = '<w:p><w:hyperlink r:id="r1"><w:r><w:t>the hive</w:t></w:r></w:hyperlink></w:p>'


def test_docx(parse):
    tabbed = "<w:p><w:r><w:t>a</w:t><w:tab/><w:t>b</w:t></w:r></w:p>"
    file = docx(p("Bees ", "fly.") + LINK + tabbed, r1="http://b.test/hive", r2="/more")
    page = parse(file, content_type=DOCX)
    assert page.status is ParseStatus.SUCCESS
    assert (page.title, page.language) == ("On bees", "de")
    assert page.text.splitlines() == ["Bees fly.", "the hive", "a b"]
    assert [(link.url, link.anchor) for link in page.outlinks] == [
        ("http://b.test/hive", "the hive"),
        ("http://e.test/more", ""),
    ]
    assert page.outlinks_found == 2


def test_pptx_slides_in_order(parse):
    def slide(text):
        return f'<p:sld xmlns:p="p" xmlns:a="{A}"><a:p><a:r><a:t>{text}</a:t></a:r></a:p></p:sld>'

    parts = {f"ppt/slides/slide{n}.xml": slide(f"slide {n}") for n in (10, 2, 1)}
    parts["ppt/slides/_rels/slide2.xml.rels"] = relations(x="http://b.test/")
    page = parse(packed(**parts), content_type=OOXML + "presentationml.presentation")
    assert page.text.splitlines() == ["slide 1", "slide 2", "slide 10"]
    assert [link.url for link in page.outlinks] == ["http://b.test/"]


def test_xlsx(parse):
    strings = (
        "<sst xmlns='x'><si><t>apples</t></si><si><r><t>pe</t></r><r><t>ars</t></r></si></sst>"
    )
    page = parse(
        packed(**{"xl/sharedStrings.xml": strings, "xl/worksheets/sheet1.xml": "<worksheet/>"}),
        content_type=OOXML + "spreadsheetml.sheet",
    )
    assert page.text.splitlines() == ["apples", "pears"]


def test_odt(parse):
    text = (
        f'<office:document-content xmlns:office="{ODF}:office" xmlns:text="{ODF}:text"'
        ' xmlns:xlink="http://www.w3.org/1999/xlink">'
        '<text:h>Hives</text:h><text:p>See <text:a xlink:href="http://b.test/x">there</text:a>'
        '<text:s/>and<text:line-break/><text:a xlink:href="../near.odt">here</text:a></text:p>'
        "</office:document-content>"
    )
    about = "<m xmlns:dc='d'><dc:title>T</dc:title></m>"
    page = parse(
        packed(**{"content.xml": text, "meta.xml": about}),
        content_type="application/vnd.oasis.opendocument.text",
    )
    assert page.title == "T"
    assert page.text.splitlines() == ["Hives", "See there and", "here"]
    assert [(link.url, link.anchor) for link in page.outlinks] == [
        ("http://b.test/x", "there"),
        ("http://e.test/near.odt", "here"),
    ]


def test_headers_count(parse):
    file = docx(LINK, r1="http://b.test/")
    headers = [("X-Robots-Tag", "noindex, nofollow"), ("Link", "</c>; rel=canonical")]
    page = parse(file, content_type=DOCX, headers=headers)
    assert (page.noindex, page.canonical_url) == (True, "http://e.test/c")
    assert page.outlinks == []
    assert page.rejected == {"robots=nofollow": 1}


@pytest.mark.parametrize(
    "content", [b"", b"PK\x03\x04", b"PK\x05\x06" + bytes(18), docx("x")[:-30], packed(a="x")]
)
def test_no_document(parse, content):
    page = parse(content, content_type=DOCX)
    assert page.status is ParseStatus.FAILED_INVALID_FORMAT
    assert page.reason.startswith("office: ")


def test_entities_are_not_expanded(parse):
    lol = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 9))
    text = f'<!DOCTYPE x [<!ENTITY l0 "lol">{lol}<!ENTITY f SYSTEM "file:///etc/passwd">]>'
    body = f'<x xmlns:w="{W}"><w:t>a&l8;&f;b</w:t></x>'
    page = parse(packed(**{"word/document.xml": text + body}), content_type=DOCX)
    assert len(page.text) < 20


def test_a_bomb_is_read_so_far_and_no_further(parse, monkeypatch):
    monkeypatch.setattr("crawl_ops.parse.office.MAX_PART_BYTES", 100_000)
    page = parse(docx(p("x") * 200_000), content_type=DOCX)
    assert page.status is ParseStatus.SUCCESS
    assert page.reason == "word/document.xml: it unpacks to more than is read"
    assert 0 < len(page.text) < 100_000


def test_any_change_of_bytes_gives_a_result(parse):
    file = docx(p("Bees") + LINK, r1="http://b.test/")
    chance = random.Random(1)
    for _ in range(300):
        changed = bytearray(file)
        for _ in range(chance.randrange(1, 8)):
            changed[chance.randrange(len(changed))] = chance.randrange(256)
        page = parse(bytes(changed), content_type=DOCX)
        assert page.reason is None or page.reason[:7] in (
            "office:",
            "word/do",
            "word/_r",
            "docProp",
        )
