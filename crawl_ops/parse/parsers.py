"""Which parser reads which content type, and what happens when none does or one fails."""

import logging
import re
from functools import partial
from importlib.util import find_spec
from typing import Protocol

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.errors import ConfigError
from crawl_ops.model import ParseStatus
from crawl_ops.parse.html import HtmlParser
from crawl_ops.parse.office import OfficeParser
from crawl_ops.parse.page import Page, Parsed, unparsed
from crawl_ops.parse.pdf import PdfParser
from crawl_ops.parse.plain import TextParser
from crawl_ops.parse.sitemap import unpacked
from crawl_ops.parse.xml import XmlParser
from crawl_ops.plugins import as_declared, load_plug, make_plug, told

_log = logging.getLogger(__name__)

PROPERTY = "parse.plugins"


class Parser(Protocol):
    """The plug point: made with the configuration, asked once a page.

    What `parse` raises becomes a failed page with that reason.
    """

    def __init__(self, config: CrawlConfig) -> None: ...

    def parse(self, page: Page) -> Parsed: ...


BUILT_IN: dict[str, type] = {
    "html": HtmlParser,
    "text": TextParser,
    "xml": XmlParser,
    "office": OfficeParser,
}

_TYPES = {
    "application/atom+xml": "xml",
    "application/rdf+xml": "xml",
    "application/rss+xml": "xml",
    "application/vnd.wap.xhtml+xml": "html",
    "application/x-xml": "xml",
    "application/xhtml+xml": "html",
    "application/xml": "xml",
    "text/csv": "text",
    "text/html": "html",
    "text/markdown": "text",
    "text/plain": "text",
    "text/xml": "xml",
}
_OFFICE = (
    "application/vnd.oasis.opendocument.presentation",
    "application/vnd.oasis.opendocument.spreadsheet",
    "application/vnd.oasis.opendocument.text",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
)
_TYPES |= dict.fromkeys(_OFFICE, "office")
if find_spec("pypdf") is not None:  # the optional part crawl-ops[documents]
    BUILT_IN["pdf"] = PdfParser
    _TYPES["application/pdf"] = "pdf"
_GZIP = frozenset(("application/gzip", "application/x-gzip"))
_SUCCESSES = frozenset((ParseStatus.SUCCESS, ParseStatus.SUCCESS_REDIRECT))
_XML_IN_HTML = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]*>\s*)?(?:<!--(?:(?!-->).)*-->\s*)?"
    rb"<(?:\w+:)?(?:urlset|sitemapindex|rss|feed|RDF)[\s>]",
    re.DOTALL,
)
_URL_LINE = re.compile(rb"(?:\xef\xbb\xbf)?\s*https?://\S+\s*(?:\n|\Z)")
_SITEMAP_NAME = re.compile(r"/[^/?#]*sitemap[^/?#]*(?:[?#].*)?$", re.IGNORECASE)


class Parsers:
    """All parsers of a configuration. Raises ConfigError for a plug-in that cannot be loaded."""

    def __init__(self, config: CrawlConfig) -> None:
        self.config = config
        made: dict[str, Parser] = {}
        self._by_type: dict[str, list[tuple[str, Parser]]] = {}
        self._told: set[str] = set()
        for entry in config.parse.plugins:
            content_type, equals, name = entry.partition("=")
            if not equals or not name:
                raise ConfigError(
                    f"{PROPERTY}: {entry!r:.200} is not TYPE=NAME or TYPE=MODULE:CLASS"
                )
            self._use(content_type.lower(), name, made)
        for content_type, name in _TYPES.items():
            self._use(content_type, name, made)
        self._html = made["html"]
        self._xml = XmlParser(config)

    def _use(self, content_type: str, name: str, made: dict[str, Parser]) -> None:
        if name not in made:
            plug = load_plug(PROPERTY, name, BUILT_IN, self.config.plugin.folders)
            own = make_plug(PROPERTY, name, partial(plug, self.config))
            made[name] = own if name in BUILT_IN else _OwnParser(own)
        self._by_type.setdefault(content_type, []).append((name, made[name]))

    def parse(self, page: Page) -> Parsed:
        """What the page says. Never raises for a page's sake: the status has a reason instead."""
        if page.truncated is not None and self.config.parser.skip_truncated:
            return unparsed(page, ParseStatus.NOTPARSED, f"truncated ({page.truncated})")
        content_type = (page.content_type or "").partition(";")[0].strip().lower()
        if content_type in _GZIP and content_type not in self._by_type:
            return self._gzipped(page, content_type)
        if content_type == "text/plain" and (sitemap := self._sitemap(page)):
            return sitemap
        found = self._parsers_of(content_type, page)
        if not found:
            known = content_type[:100] or "an unknown type"
            return unparsed(page, ParseStatus.NOTPARSED, f"no parser for {known}")
        failures: list[str] = []
        for name, parser in found:
            parsed = _guarded(name, parser, page)
            if parsed.status in _SUCCESSES or name == found[-1][0]:
                break
            if parsed.status is not ParseStatus.NOTPARSED:  # which leaves the page to the next one
                self._tell(name, page, parsed.reason)
                failures.append(parsed.reason or f"{name}: {parsed.status}")
        if failures:
            parsed.reason = "; ".join([*failures, *filter(None, [parsed.reason])])[:1000]
        return parsed

    def _tell(self, name: str, page: Page, reason: str | None) -> None:
        if name not in self._told:
            self._told.add(name)
            _log.warning(
                "parser %s failed on %.200s, so the next one is asked: %s (its further failures are"
                " in parse_data.reason)",
                name,
                page.url,
                reason,
            )

    def _sitemap(self, page: Page) -> Parsed | None:
        """A text file that is called a sitemap and holds URLs alone is one."""
        if not _SITEMAP_NAME.search(page.base_url) or not _URL_LINE.match(page.content[:4096]):
            return None
        parsed = self._xml.parse_sitemap(page)
        return parsed if parsed.status in _SUCCESSES else None

    def _parsers_of(self, content_type: str, page: Page) -> list[tuple[str, Parser]]:
        found = self._by_type.get(content_type)
        if found and found[0][1] is self._html and _XML_IN_HTML.match(page.content[:4096]):
            return [("xml", self._xml)]
        if found is None and content_type.endswith("+xml") and content_type != "image/svg+xml":
            found = self._by_type["application/xml"]
        return found or self._by_type.get("*", [])

    def _gzipped(self, page: Page, content_type: str) -> Parsed:
        # Sitemaps are served gzipped as they are; no other archive is opened.
        data, cut = unpacked(page.content, self.config.sitemap.size_max)
        if _XML_IN_HTML.match(data[:4096]) or _URL_LINE.match(data[:4096]):
            inner = Page(
                page.url,
                data,
                page.base_url,
                page.content_type,
                page.charset_hint,
                page.headers,
                page.truncated or ("length" if cut else None),
                page.fetch_time,
            )
            return self._sitemap(inner) or _guarded("xml", self._xml, inner)
        return unparsed(page, ParseStatus.NOTPARSED, f"no parser for {content_type}")


class _OwnParser:
    """Somebody's parser, whose answers are checked."""

    def __init__(self, own: Parser) -> None:
        self._own = own

    def parse(self, page: Page) -> Parsed:
        return as_declared(self._own.parse(page), Parsed)


def _guarded(name: str, parser: Parser, page: Page) -> Parsed:
    try:
        return parser.parse(page)
    except MemoryError:
        return unparsed(page, ParseStatus.FAILED, f"{name}: out of memory")
    except RecursionError:
        return unparsed(page, ParseStatus.FAILED, f"{name}: nested too deeply")
    except (KeyboardInterrupt, GeneratorExit):
        raise
    except BaseException as error:  # noqa: BLE001  (a hostile page costs its own row only)
        return unparsed(page, ParseStatus.FAILED, f"{name}: {told(error)}"[:300])
