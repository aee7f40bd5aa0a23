"""Properties of the index."""

from pydantic import Field

from crawl_ops.config.group import INTEGER_MAX, Group, Words


class Indexer(Group):
    """Which pages become documents, and what a document holds."""

    prefix = "indexer"

    writers: Words = Field(
        ("tantivy",), description="Index writers: tantivy, csv, dummy, or MODULE:CLASS (ours)."
    )
    score_power: float = Field(0.5, ge=0, le=10, description="Exponent of the OPIC boost.")
    max_title_length: int = Field(
        100, ge=-1, le=INTEGER_MAX, description="Characters of a title; -1: all."
    )
    max_content_length: int = Field(
        -1, ge=-1, le=INTEGER_MAX, description="Characters of a text; -1: all."
    )
    add_domain: bool = Field(False, description="Add the field domain.")
    skip_notmodified: bool = Field(False, description="Do not index unchanged pages again.")
    delete: bool = Field(
        True,
        description="Pages that are gone, redirected or duplicates leave the index (Nutch's "
        "-deleteGone).",
    )
    delete_robots_noindex: bool = Field(
        True, description="Pages with robots noindex leave the index."
    )
    memory_bytes: int = Field(
        64 << 20, ge=15_000_000, le=64 << 30, description="Memory of the index writer (ours)."
    )


class Index(Group):
    """Metadata as fields."""

    prefix = "index"

    parse_md: Words = Field(
        ("metatag.description", "metatag.keywords"),
        description="Keys of parse metadata that become fields.",
    )
    content_md: Words = Field((), description="Keys of response headers that become fields.")
    db_md: Words = Field((), description="Keys of crawldb metadata that become fields.")
    static: str = Field("", description="Fields of every document, as name:value,name:value.")


class AnchorIndexingFilter(Group):
    """Anchors of links to a page."""

    prefix = "anchorIndexingFilter"

    deduplicate: bool = Field(False, description="Each anchor once, ignoring case.")
