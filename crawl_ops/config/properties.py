"""All groups of properties in one model, and the map from property names to fields."""

from pydantic import BaseModel, ConfigDict

from crawl_ops.config.db import Db, Dedup, DuckDb, Linkdb, Scoring
from crawl_ops.config.fetcher import Fetcher
from crawl_ops.config.generate import Crawl, Generate, Partition
from crawl_ops.config.group import Group
from crawl_ops.config.http import File, Http, Store
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

SECRETS = ("http.proxy.password",)
HIDDEN = "***"


class CrawlConfig(BaseModel):
    """The configuration in force. Frozen; made by crawl_ops.config.load."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    crawl: Crawl = Crawl.model_construct()
    db: Db = Db.model_construct()
    generate: Generate = Generate.model_construct()
    partition: Partition = Partition.model_construct()
    fetcher: Fetcher = Fetcher.model_construct()
    http: Http = Http.model_construct()
    file: File = File.model_construct()
    store: Store = Store.model_construct()
    parser: Parser = Parser.model_construct()
    parse: Parse = Parse.model_construct()
    encodingdetector: EncodingDetector = EncodingDetector.model_construct()
    mime: Mime = Mime.model_construct()
    metatags: Metatags = Metatags.model_construct()
    sitemap: Sitemap = Sitemap.model_construct()
    robots_sitemaps: SitemapsFromRobots = SitemapsFromRobots.model_construct()
    urlnormalizer: UrlNormalizer = UrlNormalizer.model_construct()
    urlfilter: UrlFilter = UrlFilter.model_construct()
    plugin: Plugin = Plugin.model_construct()
    scoring: Scoring = Scoring.model_construct()
    linkdb: Linkdb = Linkdb.model_construct()
    indexer: Indexer = Indexer.model_construct()
    index: Index = Index.model_construct()
    anchor_indexing_filter: AnchorIndexingFilter = AnchorIndexingFilter.model_construct()
    deduplication: Dedup = Dedup.model_construct()
    duckdb: DuckDb = DuckDb.model_construct()

    def value(self, name: str) -> object:
        """The value of one property by its Nutch name; KeyError if there is none."""
        group, field = PROPERTIES[name]
        return getattr(getattr(self, group), field)

    def as_properties(self) -> dict[str, object]:
        """Every property by name, as JSON can hold it; stored with segments and commits.

        A password is not written down: it shows as ***.
        """
        plain = self.model_dump(mode="json")
        values = {name: plain[group][field] for name, (group, field) in PROPERTIES.items()}
        return values | {name: HIDDEN for name in SECRETS if values[name]}


def _groups() -> dict[str, type[Group]]:
    found = {}
    for name, field in CrawlConfig.model_fields.items():
        if isinstance(field.annotation, type) and issubclass(field.annotation, Group):
            found[name] = field.annotation
    return found


GROUPS: dict[str, type[Group]] = _groups()

PROPERTIES: dict[str, tuple[str, str]] = {
    name: (group, field)
    for group, model in GROUPS.items()
    for name, field in model.property_names().items()
}
"""Property name -> (group, field)."""
