"""XML documents by what they are: feeds, sitemaps, XHTML, or plain XML."""

from collections.abc import Mapping

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.model import LinkKind, ParseStatus
from crawl_ops.parse.feed import FeedReader
from crawl_ops.parse.head import HeadSource, read_head
from crawl_ops.parse.html import HtmlParser
from crawl_ops.parse.language import first_language
from crawl_ops.parse.links import MAX_ANCHOR_LENGTH, LinkResolver
from crawl_ops.parse.page import Outlink, Page, Parsed, unparsed
from crawl_ops.parse.sitemap import Location, locations
from crawl_ops.parse.text import MARK, allowed, block_lines, one_line
from crawl_ops.parse.xml_reader import read_xml, root_name, xml_as_utf8

FEED_ROOTS = ("rss", "feed", "rdf")
SITEMAP_ROOTS = ("urlset", "sitemapindex")
MAX_DESCRIPTION_BYTES = 100_000


class XmlParser:
    """Parses XML by its root element."""

    def __init__(self, config: CrawlConfig) -> None:
        self._config = config
        self._html = HtmlParser(config)

    def parse(self, page: Page) -> Parsed:
        """A feed's or sitemap's links, an XHTML page, or the text of any other document."""
        data, charset = xml_as_utf8(page.content, page.charset_hint, page.truncated is not None)
        root = root_name(data)
        if root in SITEMAP_ROOTS:
            return self.parse_sitemap(page)
        if root in FEED_ROOTS:
            return self._feed(page, data, charset)
        if root == "html":
            return self._html.parse(page)
        return self._document(page, data, charset)

    def parse_sitemap(self, page: Page) -> Parsed:
        """A sitemap: its locations are the links, with date, interval and priority."""
        found = locations(
            page.content,
            page.base_url,
            hint=page.charset_hint,
            strict=self._config.sitemap.strict_parsing,
            now=page.fetch_time,
            size_max=self._config.sitemap.size_max,
        )
        if found.kind == "invalid":
            reason = found.reason or "no sitemap"
            return unparsed(page, ParseStatus.FAILED_INVALID_FORMAT, reason)
        parsed = self._result(page, "sitemap", found.charset, found.reason)
        parsed.outlinks = [_outlink(location) for location in found.locations]
        parsed.rejected = dict(found.rejected)
        return self._finished(page, parsed)

    def _feed(self, page: Page, data: bytes, charset: str) -> Parsed:
        reader = FeedReader(page.fetch_time)
        reason = read_xml(data, reader)
        parsed = self._result(page, "feed", charset, reason)
        parsed.title = allowed(self._plain(reader.feed.title))
        texts = [parsed.title, self._plain(reader.feed.description)]
        links = []
        for entry in reader.entries:
            title = self._plain(entry.title)
            texts += [title, self._plain(entry.description)]
            if entry.link:
                anchor = allowed(one_line(title, MAX_ANCHOR_LENGTH))
                link = Outlink(entry.link, anchor, "", LinkKind.FEED)
                link.modified_time = entry.modified_time
                links.append(link)
        parsed.text = allowed("\n".join(text for text in texts if text))
        resolver = LinkResolver(page.base_url)
        parsed.outlinks = resolver.resolve_all(links)
        parsed.rejected = dict(resolver.rejected)
        if reader.dropped:
            parsed.rejected["links.per.page"] = reader.dropped
        return self._finished(page, parsed, reader.language)

    def _plain(self, description: str) -> str:
        if "<" not in description and "&" not in description:
            return one_line(description)
        markup = description.encode("utf-8", "replace")[:MAX_DESCRIPTION_BYTES]
        return self._html.read_markup(markup)[0].text

    def _document(self, page: Page, data: bytes, charset: str) -> Parsed:
        reader = _TextReader()
        reason = read_xml(data, reader)
        if not reader.elements:
            reason = reason or "no element"
            return unparsed(page, ParseStatus.FAILED_INVALID_FORMAT, f"not XML: {reason}")
        parsed = self._result(page, "page", charset, reason)
        parsed.title = allowed(reader.title)
        parsed.text = allowed(block_lines("".join(reader.parts)))
        return self._finished(page, parsed)

    def _result(self, page: Page, kind: str, charset: str, reason: str | None) -> Parsed:
        parsed = Parsed(
            status=ParseStatus.SUCCESS,
            reason=reason,
            kind=kind,
            charset=charset,
            content_type=page.content_type,
            base_url=page.base_url,
        )
        if reason:
            parsed.metadata["parser.stopped"] = reason
        return parsed

    def _finished(self, page: Page, parsed: Parsed, language: str | None = None) -> Parsed:
        """The headers' wishes, and the counts."""
        head = read_head(HeadSource(language=language), page, page.base_url, self._config)
        head.apply(parsed)
        parsed.language = parsed.language or first_language((language,))
        parsed.outlinks_found = len(parsed.outlinks) + sum(parsed.rejected.values())
        if parsed.nofollow and parsed.outlinks:
            parsed.rejected["robots=nofollow"] = len(parsed.outlinks)
            parsed.outlinks = []
        return parsed


def _outlink(location: Location) -> Outlink:
    return Outlink(
        location.url,
        location.title,
        "",
        LinkKind.SITEMAP,
        location.interval_s,
        location.modified_time,
        location.priority,
    )


class _TextReader:
    """Gathers the text of a document, each element a block, and the first title in it."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.data = self.parts.append
        self.title = ""
        self.elements = 0
        self._title_from = -1

    def start(self, name: str, _: Mapping[str, str]) -> None:
        self.elements += 1
        self.parts.append(MARK)
        if name == "title" and not self.title:
            self._title_from = len(self.parts)

    def end(self, name: str) -> None:
        if name == "title" and self._title_from >= 0:
            self.title = one_line("".join(self.parts[self._title_from :]))
            self._title_from = -1
        self.parts.append(MARK)
