"""What a page's head and headers say about the page: robots, refresh, canonical, language, meta."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from crawl_ops.config.properties import CrawlConfig
from crawl_ops.model import ParseStatus
from crawl_ops.parse.headers import canonical_of
from crawl_ops.parse.language import first_language
from crawl_ops.parse.links import http_url
from crawl_ops.parse.page import VALUE_SEPARATOR, Page, Parsed
from crawl_ops.parse.refresh import Refresh, read_refresh
from crawl_ops.parse.robots_tags import header_directives, meta_directives, wishes
from crawl_ops.parse.text import one_line

MAX_VALUE_LENGTH = 10_000
MAX_METATAGS = 200


@dataclass(slots=True)
class HeadSource:
    """What the markup of a head says; names of metas and equivs are in lower case."""

    metas: list[tuple[str, str]] = field(default_factory=list)
    equivs: list[tuple[str, str]] = field(default_factory=list)
    language: str | None = None
    canonical: str | None = None


@dataclass(slots=True)
class PageHead:
    """Directives and descriptions of one page."""

    noindex: bool = False
    nofollow: bool = False
    noarchive: bool = False
    canonical_url: str | None = None
    refresh_url: str | None = None
    refresh_s: int | None = None
    language: str | None = None
    metadata: dict[str, str] = field(default_factory=dict)

    def apply(self, parsed: Parsed) -> None:
        """Write all of it into the result; a refresh to another URL changes the status."""
        parsed.noindex, parsed.nofollow = self.noindex, self.nofollow
        parsed.noarchive = self.noarchive
        parsed.canonical_url = self.canonical_url
        parsed.refresh_url, parsed.refresh_s = self.refresh_url, self.refresh_s
        parsed.language = self.language
        parsed.metadata |= self.metadata
        if self.refresh_url is not None:
            parsed.status = ParseStatus.SUCCESS_REDIRECT


def agent_tokens(config: CrawlConfig) -> tuple[str, ...]:
    """The names we answer to: the product token of http.agent.name, and http.robots.agents."""
    return _tokens(config.http.agent_name, tuple(config.http.robots_agents))


@lru_cache(maxsize=16)
def _tokens(agent_name: str, robots_agents: Sequence[str]) -> tuple[str, ...]:
    product = agent_name.split("/")[0].split()[:1]
    further = (name for name in robots_agents if name != "*")
    return tuple(dict.fromkeys(name.lower() for name in (*product, *further)))


def read_head(source: HeadSource, page: Page, base: str, config: CrawlConfig) -> PageHead:
    """Everything the head and the headers say. Relative targets are resolved against `base`."""
    head = PageHead()
    headers: dict[str, list[str]] = {}
    for name, value in page.headers:
        headers.setdefault(name.lower(), []).append(value)
    _read_robots(head, source, headers.get("x-robots-tag", []), page, config)
    refresh = _refresh(headers.get("refresh", []), source.equivs, page.base_url, base)
    if refresh is not None:
        head.refresh_url, head.refresh_s = refresh.url, refresh.seconds
    if "link" in headers:
        head.canonical_url = canonical_of(headers["link"], page.base_url)
    if head.canonical_url is None and source.canonical is not None:
        head.canonical_url = http_url(base, source.canonical)
    head.language = _language(source, headers.get("content-language", []))
    head.metadata |= metatags((*source.metas, *source.equivs), config.metatags.names)
    return head


def _read_robots(
    head: PageHead, source: HeadSource, tags: list[str], page: Page, config: CrawlConfig
) -> None:
    tokens = agent_tokens(config)
    metas = [meta for meta in source.metas if meta[0] == "robots" or meta[0] in tokens]
    if tags or metas:
        asked = (header_directives(tags, tokens), meta_directives(metas, tokens))
        head.noindex, head.nofollow, head.noarchive = wishes(asked, page.fetch_time)
    for name, content in source.equivs:
        if name == "pragma" and "no-cache" in content.lower():
            head.noarchive = True
    if head.noarchive:
        head.metadata["caching.forbidden"] = config.parser.caching_forbidden_policy


def _refresh(
    headers: list[str], equivs: list[tuple[str, str]], url: str, base: str
) -> Refresh | None:
    for value in headers:
        if found := read_refresh(value, url):
            return found
    for name, content in equivs:
        if name == "refresh" and (found := read_refresh(content, base)):
            return found
    return None


def _language(source: HeadSource, headers: list[str]) -> str | None:
    declared = [content for name, content in source.metas if name == "dc.language"]
    declared += [content for name, content in source.equivs if name == "content-language"]
    return first_language((source.language, *declared, *headers))


def metatags(metas: Iterable[tuple[str, str]], names: Iterable[str]) -> dict[str, str]:
    """The meta elements named in metatags.names, as `metatag.` and the name in lower case.

    Several values of a name stand one a line, each once (Nutch's parse-metatags).
    """
    wanted = {name.lower() for name in names}
    if not wanted:
        return {}
    found: dict[str, list[str]] = {}
    for name, content in metas:
        if (name in wanted or "*" in wanted) and (name in found or len(found) < MAX_METATAGS):
            value = one_line(content, MAX_VALUE_LENGTH)
            values = found.setdefault(name[:200], [])
            if value and value not in values and len(values) < 100:
                values.append(value)
    return {
        f"metatag.{name}": VALUE_SEPARATOR.join(values) for name, values in found.items() if values
    }
