"""What is fuzzed: functions that take any bytes and assert what must hold whatever they are."""

import base64
import gzip
import io
import json
import math
import re
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

from crawl_ops.config.load import load
from crawl_ops.model import ParseStatus
from crawl_ops.parse.charset import decode, detect
from crawl_ops.parse.page import Page, Parsed
from crawl_ops.parse.parsers import Parsers
from crawl_ops.parse.sitemap import locations
from crawl_ops.protocol.body import read_body
from crawl_ops.protocol.exchange import Exchange, ExchangeError
from crawl_ops.protocol.head import LenientResponse
from crawl_ops.protocol.magic import SUFFIXES
from crawl_ops.protocol.outcome import Received, outcome
from crawl_ops.protocol.robots_file import RobotsFile
from crawl_ops.urls.chain import UrlChain
from crawl_ops.urls.identity import UrlIdentifier
from crawl_ops.urls.resolve import join

TESTS = Path(__file__).resolve().parents[1] / "tests"
CONFIG = load(overrides={"http.agent.name": "fuzz", "metatags.names": "*"})
EVERY_FILTER = {
    "http.agent.name": "fuzz",
    "urlnormalizer.order": "basic regex querystring slash host protocol",
    "urlfilter.order": "validator regex suffix domaindenylist fast",
}
CHAINS = (UrlChain(CONFIG), UrlChain(load(overrides=EVERY_FILTER)))
IDENTIFY = UrlIdentifier(1).identify
PARSERS = Parsers(CONFIG)
FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
HINTS = (None, "utf-8", "utf-16", "gbk", "iso-2022-jp", "nonsense", "big5", "x-user-defined")
BASE = "http://e.test/d/p?q"
MOST_BYTES = 1 << 16


def urls(data: bytes) -> None:
    """A URL chain's verdict is stable, and what it accepts can be stored and keyed."""
    try:
        text = data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    for url in filter(None, (text, join(BASE, text), join(text, "../x?y#z"))):
        for chain in CHAINS:
            verdict = chain.judge(url)
            assert (verdict.url is None) is (verdict.rejected_by is not None)
            if verdict.url is not None:
                assert chain.normalize(verdict.url) == verdict.url, (url, verdict.url)
                verdict.url.encode()
                assert "\0" not in verdict.url
                identity = IDENTIFY(verdict.url)
                assert 0 <= identity.slot < 65_536


def robots(data: bytes) -> None:
    """A robots.txt has an answer for every URL, the same one when asked again."""
    url, _, content = data.partition(b"\n")
    file = RobotsFile(content, ("fuzz",), "http://e.test/robots.txt")
    assert file.crawl_delay_s is None or (math.isfinite(file.crawl_delay_s))
    for location in file.sitemaps:
        location.encode()
    for asked in (url.decode("utf-8", "replace"), "http://e.test/" + url.decode("latin-1")):
        verdict = file.verdict(asked)
        assert verdict == file.verdict(asked)
        (verdict.rule or "").encode()
    assert file.verdict("http://e.test/robots.txt").allowed


def charset(data: bytes) -> None:
    """Every byte string becomes clean UTF-8 in some charset."""
    hint = HINTS[data[0] % len(HINTS)] if data else None
    content = data[1:]
    found = decode(content, detect(content, hint, "windows-1252", cut=bool(data[:1] > b"\x80")))
    text = found.data.decode("utf-8")
    assert not re.search("[\x00-\x08\x0b\x0e-\x1f\x7f\ufffe\uffff]", text)


def html(data: bytes) -> None:
    """A page is parsed, whatever it says."""
    hint = HINTS[data[0] % len(HINTS)] if data else None
    _check(PARSERS.parse(Page(BASE, data[1:], BASE, "text/html", hint, ())))


def sitemap(data: bytes) -> None:
    """Sitemaps, feeds and XML: read as far as it goes, also gzipped."""
    hint = HINTS[data[0] % len(HINTS)] if data else None
    content = data[1:]
    for form in (content, gzip.compress(content, 1)):
        for lenient in (True, False):
            found = locations(form, "http://e.test/sitemap.xml", hint=hint, lenient=lenient)
            assert found.kind in ("index", "urlset", "text", "feed", "invalid")
            for location in found.locations:
                location.url.encode()
    for media_type in ("text/xml", "application/x-gzip", "text/plain"):
        url = "http://e.test/sitemap.xml"
        _check(PARSERS.parse(Page(url, content, url, media_type, hint, ())))


def headers(data: bytes) -> None:
    """An answer off the wire: its head, its coded body, and what they come to."""
    exchange = Exchange("/", timeout_s=5, time_limit_s=10, header_limit=65_536)
    try:
        lenient = LenientResponse(_Socket(data), exchange)
        lenient.begin()
        body = read_body(lenient, exchange, 1 << 20)
        assert len(body.content) <= 1 << 20
        received = Received(BASE, lenient.status, exchange.headers, exchange.fields, body, False)
        answer = outcome(received, partial=True, magic=True, now=None)
    except ExchangeError as error:
        error.reason.encode()
        return
    assert answer.location is None or answer.location.startswith(("http://", "https://"))
    assert answer.retry_after_s is None or 0 <= answer.retry_after_s <= 31_536_000
    for text in (answer.reason, answer.content_type, answer.charset_hint):
        (text or "").encode()


def documents(data: bytes) -> None:
    """PDF, office files that are no zips, and those whose parts are anything."""
    docx, odt, pdf = (SUFFIXES[suffix] for suffix in ("docx", "odt", "pdf"))
    for media_type, content in (
        (pdf, data),
        (docx, data),
        (docx, _packed(("word/document.xml", "word/_rels/document.xml.rels"), data)),
        (odt, _packed(("content.xml", "meta.xml"), data)),
    ):
        parsed = PARSERS.parse(Page(BASE, content, BASE, media_type, None, ()))
        if media_type == pdf and parsed.status is ParseStatus.FAILED:
            continue  # what pypdf raises is the page's failure
        _check(parsed)


def _packed(names: tuple[str, ...], data: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name in names:
            archive.writestr(name, data)
    return file.getvalue()


class _Socket:
    """A server's whole answer, and then the end."""

    def __init__(self, data: bytes) -> None:
        self._data = io.BytesIO(data)

    def recv_into(self, buffer: bytearray) -> int:
        return self._data.readinto(buffer)

    def settimeout(self, value: float | None, /) -> None:
        """There is nothing to wait for."""


def _check(page: Parsed) -> None:
    assert page.status is not ParseStatus.FAILED, page.reason
    texts = [page.title, page.text, page.reason or "", *page.metadata, *page.metadata.values()]
    for link in page.outlinks:
        texts += [link.url, link.anchor, link.rel]
    for text in texts:
        assert not FORBIDDEN.search(text), text
    assert page.outlinks_found == len(page.outlinks) + sum(page.rejected.values())


TARGETS: dict[str, Callable[[bytes], None]] = {
    "urls": urls,
    "robots": robots,
    "charset": charset,
    "html": html,
    "sitemap": sitemap,
    "headers": headers,
    "documents": documents,
}

TOKENS: dict[str, bytes] = {
    "urls": rb"""http:// https:// HTTP: ftp:// file:/// // / \\ /.. /. /%2e%2e ? # & ; = : @
    [::1] [ ] 0x7f.1 127.0.0.1. e.test xn-- xn--p1ai %00 %2 %25 %C3%A9 %zz ;jsessionid=1 ?sid=1
    &PHPSESSID= /a/b /a/a/a .exe .html ::: \x00 \xed\xa0\x80 \xc3\xa9 \xe2\x98\x95 \xc4\xb0
    \xef\xbc\x8f javascript: data: #! _escaped_fragment_= :80 :443 :99999 .. ...""",
    "robots": rb"""http://e.test/a/b?c=d User-agent: user-agent : * fuzz Disallow: Allow:
    Crawl-delay: Sitemap: / /* $ *$ /*/* %2f %C3%A9 %zz \n \r \r\n # \xef\xbb\xbf \xff\xfe \x00
    1e999 nan -1 inf <html> </br> /index.html . ? \xc3\xa9 \xed\xa0\x80 http://e.test/s.xml""",
    "charset": rb"""<meta charset= http-equiv=Content-Type content= text/html;charset= <?xml
    encoding= ' " > \x00 \x1b$B \x1b(B \xff\xfe \xfe\xff \xef\xbb\xbf gb2312 euc-kr shift_jis
    utf-16 utf-7 x-user-defined replacement hz-gb-2312 iso-8859-8-i \x80 \x81\x30\x81\x30
    \xa4\xa2 \xed\xa0\x80 \xef\xbf\xbe \x7f <!-- --> macintosh big5 \x87\x40""",
    "html": rb"""< > </ /> <!-- --> <![CDATA[ ]]> <!DOCTYPE <?xml?> <a href= <a> </a> <base
    href= <meta name=robots charset= http-equiv=refresh content= url= <title> </title> <script>
    </script> <table> <td> <svg> <math> <template> </template> <form action= <img srcset= alt=
    src= <link rel=canonical rel=nofollow ' " &#0; &#127; &#x80; &#x82; &#xd800; &amp; &x;
    http:// //[ javascript: \x00 \x7f \xc2\x80 \xff\xfe \xef\xbb\xbf \xed\xa0\x80 0; , ; = % /..
    \n </body> </html> <frameset> <frame src= <iframe srcdoc= <select> <option> <plaintext>
    <noscript> <p>""",
    "sitemap": rb"""<?xml version='1.0'?> encoding= <urlset> <urlset xmlns= <sitemapindex> <url>
    </url> <sitemap> </sitemap> <loc> </loc> http://e.test/a <lastmod> 2004-12-23T18:00:15+00:00
    </lastmod> <changefreq> daily <priority> 0.5 nan <rss> <channel> <item> <link> <feed>
    <entry> <guid> <rdf:RDF> <![CDATA[ ]]> <!DOCTYPE <!ENTITY x 'y'> &x; &amp; &#0; ]> [
    <x:include xmlns:x= \x1f\x8b\x08 \xff\xfe \xef\xbb\xbf \x00 </urlset> <html> \n
    <description> <pubDate> <!-- -->""",
    "headers": rb"""HTTP/1.1 HTTP/1.0 HTTP/2 ICY 200 OK 301 302 304 100 103 429 503
    Content-Type: text/html; charset= Content-Length: Transfer-Encoding: chunked
    Content-Encoding: gzip deflate br zstd Location: Loction: Retry-After: Date: Connection:
    close , ; = " : \r\n \n \r\n\r\n 0\r\n\r\n 5\r\nhello\r\n ffffffff \x00 \xff \x1f\x8b\x08
    \x78\x9c \x28\xb5\x2f\xfd //e.test/ http:// [ %zz 99999999999999999999 -1 Link:
    <x>;rel=canonical Refresh: ETag: Set-Cookie:""",
    "documents": rb"""%PDF-1.4\n 1\x200\x20obj << >> /Type /Page /Pages /Kids [ ] /Count /Catalog
    /Root /Contents /Annots /A /URI /Font /F /Filter /FlateDecode /LZWDecode /DecodeParms /Length
    stream\n     endstream endobj\n trailer startxref xref\n %%EOF BT ET Tj TJ ( ) 0 1 -1 99999999 R
    <w:t> </w:t> <w:p> </w:p> <w:hyperlink r:id="r1"> </w:hyperlink> <text:p> <text:a xlink:href="
    <Relationship Id="r1" Type="/hyperlink" Target=" TargetMode="External"/> &#0; &x; <!DOCTYPE x [
    ]> PK\x03\x04 PK\x01\x02 PK\x05\x06 \x00 \xff <dc:title> </dc:title> \x78\x9c""",
}


def tokens(target: str) -> list[bytes]:
    """Pieces of which inputs for a target are put together."""
    return [piece.decode("unicode_escape").encode("latin-1") for piece in TOKENS[target].split()]


PDF = b"""%PDF-1.4
1 0 obj << /Type /Catalog /Pages 2 0 R >> endobj
2 0 obj << /Type /Pages /Kids [3 0 R] /Count 1 >> endobj
3 0 obj << /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 4 0 R
/Resources << /Font << /F << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >>
/Annots [<< /Subtype /Link /A << /S /URI /URI (http://b.test/) >> >>] >> endobj
4 0 obj << /Length 32 >> stream
BT /F 12 Tf 2 2 Td (Bees) Tj ET
endstream endobj
trailer << /Root 1 0 R >>
%%EOF
"""
DOCUMENT = b"""<w:document xmlns:w="w" xmlns:r="r" xmlns:text="t" xmlns:xlink="x"><w:p><w:t>Bees
</w:t><w:hyperlink r:id="r1"><w:t>x</w:t></w:hyperlink></w:p><text:p>a <text:a xlink:href="/x">b
</text:a>
</text:p></w:document>"""

SAMPLES: dict[str, tuple[str, tuple[str, ...]]] = {
    "urls": ("urls", ("url", "input", "href")),
    "robots": ("protocol", ("robots", "robots_b64")),
    "charset": ("parse", ("bytes",)),
    "html": ("parse", ("html", "bytes")),
    "sitemap": ("parse", ("bytes",)),
    "headers": ("protocol", ("response",)),
    "documents": ("parse", ("document",)),
}


def samples(target: str) -> Iterator[bytes]:
    """Real inputs: what the tests' data files hold for this target."""
    room, keys = SAMPLES[target]
    if target == "documents":
        yield PDF
        yield DOCUMENT
    start = b"\x00" if target in ("charset", "html", "sitemap") else b""
    for file in sorted((TESTS / room / "data").glob("*.jsonl")):
        for line in file.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            for key in keys:
                value = row.get(key)
                if isinstance(value, str):
                    coded = key in ("bytes", "robots_b64")
                    data = base64.b64decode(value) if coded else value.encode("utf-8", "replace")
                    yield (start + data)[:MOST_BYTES]
