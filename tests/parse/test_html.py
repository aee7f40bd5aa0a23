import pytest

from crawl_ops.model import LinkKind, ParseStatus

# What html5lib-tests expect and we do differently on purpose or for lack of a tree builder:
# - content of noframes, noembed and iframe is no text; noscript is read, as scripts are not run;
# - CDATA in drawings is lost; text astray in tables or framesets
#   stays where it was; title elements in drawings are raw text.
DIFFERENT_TEXT = 43
HIDDEN = ("<noframes", "<noembed", "<iframe")


def words(text):
    return "".join(text.split())


def test_malformed_pages_give_the_title_text_and_links_of_the_standard(facts, parse):
    cases = facts("tree_construction.jsonl")
    titles = texts = 0
    shown = 0
    for case in cases:
        page = parse(case["html"])
        titles += page.title == " ".join((case["title"] or "").split())
        title = words(case["title"] or "")
        found = words(page.text)
        # The title is part of the text (Nutch), wherever it stood.
        if not words(case["text"]).startswith(title):
            found = found.removeprefix(title)
        texts += found == words(case["text"])
        shown += not any(tag in case["html"] for tag in HIDDEN)
        anchors = [words(link.anchor) for link in page.outlinks]
        assert anchors == [words(text) for _, text in case["links"]], case["html"]
    assert titles == len(cases) == 950
    assert texts == len(cases) - DIFFERENT_TEXT
    assert texts >= 0.95 * len(cases)


KNOWN_URLS = {
    # WHATWG: a URL without a path has "/" as its path.
    "http://www.nutch.org": "http://www.nutch.org/",
}


# Nutch parts words at every tag: "test</span>." is two words there and one here.
KNOWN_EXTRACTION = [("apache/nutch", "fdc58d314f14", "words")]


def test_pages_are_read_as_nutch_and_scrapy_expect(facts, parse):
    different = []
    for case in facts("extraction.jsonl"):
        content = case.get("bytes", case.get("html"))
        hint = {"charset_hint": case["charset"]} if "charset" in case else {}
        page = parse(content, case["base"], properties=case["properties"], **hint)
        links = page.outlinks
        if case.get("what") == "anchors":
            # Scrapy looks at a and area only, each URL once, and gives area no text.
            links = list({link.url: link for link in reversed(links)}.values())[::-1]
            links = [link for link in links if not link.url.endswith(".jpg")]
            case["links"] = [[url, text or None] for url, text in case["links"]]
        wanted = [[KNOWN_URLS.get(url, url), anchor] for url, anchor in case["links"]]
        found = [
            [link.url, None if anchor is None else link.anchor]
            for link, (_, anchor) in zip(links, wanted, strict=False)
        ]
        if len(links) != len(wanted) or found != wanted:
            different.append((case["source"], case["id"], "links"))
        if case.get("title") is not None:
            assert page.title == case["title"], case["id"]
        if case.get("words") is not None and page.text.split() != case["words"]:
            different.append((case["source"], case["id"], "words"))
    assert different == KNOWN_EXTRACTION


def test_outlinks_are_those_of_nutch(facts, parse):
    for case in facts("nutch.jsonl", op="html-outlinks"):
        page = parse(case["html"], case["base"], properties=case.get("conf"))
        wanted = [[KNOWN_URLS.get(url, url), anchor] for url, anchor in case["expected"]]
        assert [[link.url, link.anchor] for link in page.outlinks] == wanted, case["note"]


def test_text_is_that_of_nutch_but_for_white_space(facts, parse):
    for case in facts("nutch.jsonl", op="html-text"):
        assert words(parse(case["html"]).text) == words(case["expected"]), case["note"]


def test_robots_flags_are_those_of_nutch(facts, parse):
    for case in facts("nutch.jsonl", op="html-meta"):
        page = parse(case["html"], case["base"])
        flags = {"noindex": page.noindex, "nofollow": page.nofollow, "nocache": page.noarchive}
        assert flags | {"base_href": None} == case["expected"], case["note"]


def test_whole_pages_are_read_as_by_nutch(facts, parse):
    for case in facts("nutch.jsonl", op="parse"):
        content = case.get("bytes", case.get("html", ""))
        page = parse(
            content,
            case.get("url", "http://e.test/"),
            case.get("content_type", "text/html"),
            properties=case.get("conf"),
            charset_hint=None,
        )
        assert page.status in (ParseStatus.SUCCESS, ParseStatus.SUCCESS_REDIRECT)
        wanted = case["expected"]
        assert page.title == wanted.get("title", page.title)
        for part in wanted.get("text_contains", ()):
            assert part in page.text
        for name, value in wanted.get("meta", {}).items():
            assert page.metadata[f"metatag.{name}"] == value
        for name, values in wanted.get("meta_values", {}).items():
            assert set(page.metadata[name].split("\n")) == set(values)
        if "outlinks" in wanted:
            assert [link.url for link in page.outlinks] == wanted["outlinks"]


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<p>a<p>b", "a\nb"),
        ("<div>a<b>b</b> c</div>d", "ab c\nd"),
        ("x<br>y<hr>z", "x\ny\nz"),
        ("<ul><li>a<li>b</ul>c", "a\nb\nc"),
        ("<table><tr><td>a<td>b<tr><td>c</table>", "a b\nc"),
        ("<a href=x>a</a><a href=y>b</a>", "a b"),
        ("<script>x</script>a<style>y</style>b<!-- z -->c", "abc"),
        ("<template><p>x<a href=/x>y</a></template>z", "z"),
        ("<template shadowrootmode=open>x</template>z", "xz"),
        ("<template><table></template><p>z", "z"),
        ("<noscript>x</noscript>", "x"),
        ("<title> a\n b </title>c", "a b\nc"),
        ("a\xa0\u3000 b", "a b"),
        ("<textarea>a</textarea>b<select><option>c<option>d</select>e", "a b c d e"),
        ("a&#127;b&#x80;c&#1;d&#xfffe;e", "a\nb€c\ufffdd\ufffde"),
        ("<p>x</p></body></html><p>y", "x\ny"),
        ("a&nbsp;&lt;b&gt;", "a <b>"),
    ],
)
def test_text(parse, html, text):
    assert parse(html).text == text


def test_line_separators_can_be_chosen(parse):
    html = "<p>a</p><span>b</span><div>c</div>"
    properties = {"parser.html.line.separators": "span"}
    assert parse(html, properties=properties).text == "a\nb\nc"
    assert parse("<i>a</i><b>b</b>", properties={"parser.html.line.separators": "b"}).text == "a\nb"


@pytest.mark.parametrize(
    ("html", "url", "anchor"),
    [
        ("<a href=/x> an\n<i>ch</i>or </a>", "/x", "an chor"),
        ("<a href=/x><img alt=' one '> <img alt=two></a>", "/x", "one two"),
        ("<a href=/x>t<img alt=one></a>", "/x", "t"),
        ("<a href=/x></a>", "/x", ""),
        ("<a href=/x><div>a</div><div>b</div></a>", "/x", "a b"),
        ("<a href=/x><script>x</script>a</a>", "/x", "a"),
        ("<area href=/x alt=a>", "/x", "a"),
        ("<frameset><frame src=/x></frameset>", "/x", ""),
        ("<iframe src=/x>in</iframe>", "/x", ""),
        ("<script src=/x></script>", "/x", ""),
        ("<link rel=stylesheet href=/x>", "/x", ""),
        ("<img src=/x alt=' a  b '>", "/x", "a b"),
        ("<video><source src=/x></video>", "/x", ""),
        ("<a href=/x HREF=/y>a</a>", "/x", "a"),
        (f"<a href=/x>{'a' * 2000}</a>", "/x", "a" * 1000),
        ("<a href='?q=1&amp;b=2#f'>a", "/p?q=1&b=2#f", "a"),
    ],
)
def test_links_and_anchors(parse, html, url, anchor):
    page = parse(html, "http://e.test/p")
    links = [link for link in page.outlinks if link.url == "http://e.test" + url]
    assert [link.anchor for link in links] == [anchor]
    assert page.outlinks_found == len(page.outlinks)


def test_all_of_a_srcset(parse):
    page = parse(
        '<img src="a.png" srcset="a.png 1x, b.png 2x,c.png"><source srcset="d.png, e,f 9w">'
    )
    names = [link.url.rpartition("/")[2] for link in page.outlinks]
    assert names == ["a.png", "b.png", "c.png", "d.png", "e,f"]


def test_forms_are_links_when_asked_for(parse):
    html = "<form action=/get><p>go</form><form method=POST action=/post><p>x</form><form>y</form>"
    assert parse(html).outlinks == []
    used = parse(html, properties={"parser.html.form.use_action": True})
    assert [(link.url, link.anchor) for link in used.outlinks] == [("http://e.test/get", "go")]


def test_elements_can_be_left_out(parse):
    html = "<a href=/a>a</a><img src=/i><script src=/s>x</script><iframe src=/f>y</iframe>"
    page = parse(html, properties={"parser.html.outlinks.ignore_tags": "img,script,iframe,a"})
    assert page.outlinks == []
    assert page.text == "a"


@pytest.mark.parametrize("rel", ["nofollow", "ugc", "sponsored", "NOFOLLOW", "a\nugc b"])
def test_links_not_to_follow_are_counted(parse, rel):
    page = parse(f"<a rel='{rel}' href=/x>x</a><area rel='{rel}' href=/y><a rel=noopener href=/z>")
    assert [(link.url, link.rel) for link in page.outlinks] == [("http://e.test/z", "noopener")]
    assert page.rejected == {"rel=nofollow": 2}
    assert page.outlinks_found == 3


def test_a_canonical_link_has_a_kind_of_its_own(parse):
    page = parse("<link rel=canonical href=/c><link rel=next href=/n>")
    assert [link.kind for link in page.outlinks] == [LinkKind.CANONICAL, LinkKind.LINK]


def test_noindex_keeps_text_and_links(parse):
    page = parse("<title>t</title><meta name=robots content=noindex>x<a href=/y>y</a>")
    assert (page.noindex, page.title, page.text) == (True, "t", "t\nxy")
    assert len(page.outlinks) == 1


def test_the_title_in_a_drawing_is_not_the_page_s(parse):
    assert parse("<svg><title>no</title></svg><title>yes</title>").title == "yes"
    assert parse("<p>x<title>late</title>").title == "late"


def test_empty_elements_of_xhtml(parse):
    html = '<html xmlns="http://www.w3.org/1999/xhtml"><script src="/s"/><title/><p>text</p></html>'
    assert parse(html, content_type="application/xhtml+xml").text == "text"
    assert parse(html, content_type="text/html").text == "text"


@pytest.mark.parametrize(
    "content", [b"", b"  \n ", b"<!-- x -->", b"\xff\xfe", b"\xef\xbb\xbf", b"<!"]
)
def test_pages_without_anything_are_empty_successes(parse, content):
    page = parse(content)
    assert page.status is ParseStatus.SUCCESS
    assert (page.title, page.text, page.outlinks) == ("", "", [])


def test_a_nul_does_not_end_the_page(parse):
    page = parse(
        b"<html>\0<head><title>n\0ul</title></head>hello <a href=/after>x</a> wor\0ld tail"
    )
    assert page.title == "n\ufffdul"
    assert page.text.endswith("hello x world tail")
    assert [link.url for link in page.outlinks] == ["http://e.test/after"]


def test_bad_links_are_counted_and_the_rest_is_read(parse):
    page = parse(
        '<a href="http://[IP">1</a><a href="http://google.test]">2</a>'
        '<a href="javascript:x()">3</a>'
        '<a href=" MAILTO:x@y">4</a><img src="data:image/png;base64,AAAA"><a href="tel:1">5</a>'
        f'<a href="/{"x" * 70_000}">6</a><a href="/good">7</a><a href="urn:x:y">8</a>'
    )
    assert [link.url for link in page.outlinks] == ["http://e.test/good"]
    assert page.rejected == {
        "malformed": 2,
        "scheme=javascript": 1,
        "scheme=mailto": 1,
        "scheme=data": 1,
        "scheme=tel": 1,
        "scheme=urn": 1,
        "length": 1,
    }
    assert page.outlinks_found == 9


def test_the_first_base_counts_for_links(parse):
    html = "<base target=x><base href='/forum/'><base href='/b/'><a href=i>i</a><a href='#f'>f</a>"
    page = parse(html, "http://e.test/forum/index.php/mv/1/")
    assert page.base_url == "http://e.test/forum/"
    assert [link.url for link in page.outlinks] == [
        "http://e.test/forum/i",
        "http://e.test/forum/#f",
    ]
    for bad in ("javascript:x", "http://[x", "data:,"):
        assert parse(f"<base href='{bad}'>", "http://e.test/p").base_url == "http://e.test/p"


def test_a_form_feed_in_a_name_is_a_blank(parse):
    markup = "<meta name='key\fwords' content=a><meta http-equiv='x\f\fy' content=b>"
    page = parse(markup + "<a href=/x rel='a\fb'>x</a>", properties={"metatags.names": "*"})
    assert page.metadata == {"metatag.key words": "a", "metatag.x y": "b"}
    assert page.outlinks[0].rel == "a b"
