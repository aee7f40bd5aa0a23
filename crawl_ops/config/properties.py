"""All groups of properties in one model, and the map from property names to fields."""

from pydantic import BaseModel, ConfigDict, Field

from crawl_ops.config.db import Db, Dedup, DuckDb, Linkdb, Scoring
from crawl_ops.config.fetcher import Fetcher
from crawl_ops.config.generate import Crawl, Generate, Partition
from crawl_ops.config.group import Group
from crawl_ops.config.http import Http, Store
from crawl_ops.config.index import AnchorIndexingFilter, Index, Indexer
from crawl_ops.config.parser import (
    EncodingDetector,
    Metatags,
    Mime,
    Parse,
    Parser,
    Plugin,
    Sitemap,
    SitemapsFromRobots,
)
from crawl_ops.config.urls import UrlFilter, UrlNormalizer


class CrawlConfig(BaseModel):
    """The configuration in force. Frozen; made by crawl_ops.config.load."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    crawl: Crawl = Field(default_factory=Crawl)
    db: Db = Field(default_factory=Db)
    generate: Generate = Field(default_factory=Generate)
    partition: Partition = Field(default_factory=Partition)
    fetcher: Fetcher = Field(default_factory=Fetcher)
    http: Http = Field(default_factory=Http)
    store: Store = Field(default_factory=Store)
    parser: Parser = Field(default_factory=Parser)
    parse: Parse = Field(default_factory=Parse)
    encodingdetector: EncodingDetector = Field(default_factory=EncodingDetector)
    mime: Mime = Field(default_factory=Mime)
    metatags: Metatags = Field(default_factory=Metatags)
    sitemap: Sitemap = Field(default_factory=Sitemap)
    robots_sitemaps: SitemapsFromRobots = Field(default_factory=SitemapsFromRobots)
    urlnormalizer: UrlNormalizer = Field(default_factory=UrlNormalizer)
    urlfilter: UrlFilter = Field(default_factory=UrlFilter)
    plugin: Plugin = Field(default_factory=Plugin)
    scoring: Scoring = Field(default_factory=Scoring)
    linkdb: Linkdb = Field(default_factory=Linkdb)
    indexer: Indexer = Field(default_factory=Indexer)
    index: Index = Field(default_factory=Index)
    anchor_indexing_filter: AnchorIndexingFilter = Field(default_factory=AnchorIndexingFilter)
    deduplication: Dedup = Field(default_factory=Dedup)
    duckdb: DuckDb = Field(default_factory=DuckDb)

    def value(self, name: str) -> object:
        """The value of one property by its Nutch name; KeyError if there is none."""
        group, field = PROPERTIES[name]
        return getattr(getattr(self, group), field)

    def as_properties(self) -> dict[str, object]:
        """Every property by name, as JSON can hold it; stored with segments and commits."""
        plain = self.model_dump(mode="json")
        return {name: plain[group][field] for name, (group, field) in PROPERTIES.items()}


def _groups() -> dict[str, type[Group]]:
    found = {}
    for name, field in CrawlConfig.model_fields.items():
        assert isinstance(field.annotation, type) and issubclass(field.annotation, Group)  # noqa: S101
        found[name] = field.annotation
    return found


GROUPS: dict[str, type[Group]] = _groups()

PROPERTIES: dict[str, tuple[str, str]] = {
    name: (group, field)
    for group, model in GROUPS.items()
    for name, field in model.property_names().items()
}
"""Property name -> (group, field)."""
