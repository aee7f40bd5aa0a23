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
    delete_skipped_by_indexingfilter: bool = Field(
        False, description="Pages that an indexing filter drops leave the index."
    )
    indexingfilter_order: Words = Field(
        ("basic", "anchor", "more", "metadata", "static"),
        alias="indexingfilter.order",
        description="Indexing filters in order: basic, anchor, more, metadata, static, language, "
        "or MODULE:CLASS.",
    )
    index_mime_type_parts: bool = Field(
        True,
        alias="moreIndexingFilter.indexMimeTypeParts",
        description="The field type also gets main and sub type.",
    )
    memory_bytes: int = Field(
        64 << 20, ge=15_000_000, le=64 << 30, description="Memory of the index writer (ours)."
    )
    lock_timeout: float = Field(
        600.0, ge=0, le=86_400, description="Seconds to wait for another index writer (ours)."
    )
    csv_fields: Words = Field(("id", "title", "content"), description="Columns of the CSV file.")
    csv_charset: str = Field("UTF-8", description="Charset of the CSV file.")
    csv_separator: str = Field(",", min_length=1, description="Between two columns.")
    csv_valuesep: str = Field("|", description="Between the values of one column.")
    csv_quotechar: str = Field('"', max_length=1, description="Around a value; empty: never.")
    csv_escapechar: str = Field('"', max_length=1, description="Before a quote in a value.")
    csv_maxfieldlength: int = Field(
        4096, ge=-1, le=INTEGER_MAX, description="Characters of one value; -1: all."
    )
    csv_maxfieldvalues: int = Field(
        12, ge=-1, le=INTEGER_MAX, description="Values of one column; -1: all."
    )
    csv_header: bool = Field(True, description="Write a first line with the column names.")


class Index(Group):
    """Metadata as fields."""

    prefix = "index"

    parse_md: Words = Field(
        ("metatag.description", "metatag.keywords"),
        description="Keys of parse metadata that become fields.",
    )
    content_md: Words = Field((), description="Keys of response headers that become fields.")
    db_md: Words = Field((), description="Keys of crawldb metadata that become fields.")
    metadata_separator: str = Field("", description="Values of multivalued fields end at it.")
    metadata_multivalued_fields: Words = Field(
        (), description="Metadata fields that are split at index.metadata.separator."
    )
    static: str = Field("", description="Fields of every document, as name:value,name:value.")
    static_fieldsep: str = Field(",", min_length=1, description="Between two static fields.")
    static_keysep: str = Field(":", min_length=1, description="Between a name and its values.")
    static_valuesep: str = Field(" ", min_length=1, description="Between two static values.")


class AnchorIndexingFilter(Group):
    """Anchors of links to a page."""

    prefix = "anchorIndexingFilter"

    deduplicate: bool = Field(False, description="Each anchor once, ignoring case.")
