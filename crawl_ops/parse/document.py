"""What parsers of files that are no web pages have in common: from title, text, links to Parsed."""

from dataclasses import dataclass, field

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.model import ParseStatus
from crawl_ops.parse.head import HeadSource, read_head
from crawl_ops.parse.links import MAX_ANCHOR_LENGTH, MAX_LINKS, LinkResolver
from crawl_ops.parse.page import Outlink, Page, Parsed
from crawl_ops.parse.text import allowed, block_lines, one_line

MAX_TEXT_LENGTH = 4_000_000
"""Characters of text that are kept of one document."""


@dataclass(slots=True)
class Document:
    """What was read of a file. `stopped` says why it is not the whole, if it is not."""

    title: str = ""
    language: str | None = None
    parts: list[str] = field(default_factory=list)
    """Text, blocks set apart by text.MARK."""
    links: list[tuple[str, str]] = field(default_factory=list)
    """Targets as written, and their anchors."""
    stopped: str | None = None

    def parsed(self, page: Page, config: CrawlConfig) -> Parsed:
        """The result, with what the headers ask for."""
        parsed = Parsed(
            status=ParseStatus.SUCCESS,
            reason=self.stopped,
            title=allowed(one_line(self.title, 1_000)),
            text=allowed(block_lines("".join(self.parts)[:MAX_TEXT_LENGTH])),
            content_type=page.content_type,
            base_url=page.base_url,
        )
        if self.stopped:
            parsed.metadata["parser.stopped"] = self.stopped
        head = read_head(HeadSource(language=self.language), page, page.base_url, config)
        head.apply(parsed)
        self._add_links(parsed, page)
        return parsed

    def _add_links(self, parsed: Parsed, page: Page) -> None:
        resolver = LinkResolver(page.base_url)
        links = [
            Outlink(target, allowed(one_line(anchor, MAX_ANCHOR_LENGTH)))
            for target, anchor in self.links[:MAX_LINKS]
        ]
        if parsed.nofollow and links:
            parsed.rejected["robots=nofollow"] = len(links)
        elif links:
            parsed.outlinks = resolver.resolve_all(links)
            parsed.rejected = dict(resolver.rejected)
        if len(self.links) > MAX_LINKS:
            parsed.rejected["links.per.page"] = len(self.links) - MAX_LINKS
        parsed.outlinks_found = len(self.links)
