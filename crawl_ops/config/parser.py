"""Properties of parsing."""

from typing import Literal

from pydantic import Field

from crawl_ops.config.group import INTEGER_MAX, ConfigFile, Group, Words, split_words


class Parser(Group):
    """Limits and choices of the parsers."""

    prefix = "parser"

    character_encoding_default: str = Field(
        "windows-1252", description="Charset when nothing else tells."
    )
    timeout: float = Field(30.0, ge=-1, le=86_400, description="Seconds for one page; -1: 300.")
    skip_truncated: bool = Field(True, description="Do not parse pages that were cut.")
    store_text: bool = Field(True, description="Write parse_text.")
    delete_failed_parse: bool = Field(
        False, description="A failed parse makes db_parse_failed and leaves the index."
    )
    caching_forbidden_policy: Literal["content", "all", "none"] = Field(
        "content", description="What noarchive means."
    )
    html_form_use_action: bool = Field(
        False, alias="parser.html.form.use_action", description="Form targets are outlinks."
    )
    html_outlinks_ignore_tags: Words = Field(
        (),
        alias="parser.html.outlinks.ignore_tags",
        description="Elements whose links are not used.",
    )
    html_line_separators: Words = Field(
        split_words(
            "article aside blockquote canvas dd div dl dt fieldset figcaption figure footer form "
            "h1 h2 h3 h4 h5 h6 header hr li main nav noscript ol output p pre section table tfoot "
            "ul video"
        ),
        alias="parser.html.line.separators",
        description="Elements whose text stands on lines of its own.",
    )
    processes: int = Field(
        1,
        ge=0,
        le=64,
        description="Worker processes of one parse; 0: in the process of the job, where a page "
        "that hangs is not stopped (ours).",
    )


class Parse(Group):
    """What happens to outlinks."""

    prefix = "parse"

    plugins: Words = Field(
        (),
        description="Parsers by content type, before the built-in ones: TYPE=NAME or "
        "TYPE=MODULE:CLASS; type * for all that have none.",
    )
    filter_urls: bool = Field(True, description="Filter outlinks.")
    normalize_urls: bool = Field(True, description="Normalize outlinks.")
    store_rejected: bool = Field(
        True,
        description="Keep refused outlinks with the rule that refused them, for explain (ours).",
    )


class EncodingDetector(Group):
    """Guessing charsets."""

    prefix = "encodingdetector"

    charset_min_confidence: int = Field(
        -1,
        ge=-1,
        le=100,
        description="Statistical detection must be this sure; -1: only when nothing else tells.",
    )


class Mime(Group):
    """Guessing content types."""

    prefix = "mime"

    type_magic: bool = Field(True, description="Look at the first bytes.")


class Metatags(Group):
    """Meta tags that are kept."""

    prefix = "metatags"

    names: Words = Field(
        ("description", "keywords"), description="Names that are kept as metatag.NAME; *: all."
    )


class Sitemap(Group):
    """Sitemaps."""

    prefix = "sitemap"

    strict_parsing: bool = Field(
        True, description="Locations must share the prefix of the sitemap."
    )
    size_max: int = Field(
        52_428_800, ge=1024, le=INTEGER_MAX, description="Bytes of a sitemap, unpacked."
    )
    redir_max: int = Field(3, ge=0, le=100, description="Redirects of a sitemap that are followed.")
    url_filter: bool = Field(True, description="Filter locations (verb sitemap).")
    url_normalize: bool = Field(True, description="Normalize locations (verb sitemap).")
    url_default_sitemap_xml: bool = Field(
        True,
        alias="sitemap.url.default.sitemap.xml",
        description="Ask hosts for /sitemap.xml too (sitemap --from-hosts).",
    )
    url_overwrite_existing: bool = Field(
        False, description="Change score, interval and modified time of known URLs (verb sitemap)."
    )
    max_per_host: int = Field(
        50, ge=0, le=50_000, description="Sitemaps of one host read in a round (ours)."
    )


class SitemapsFromRobots(Group):
    """Sitemaps named in robots.txt."""

    sitemaps_from_robots: bool = Field(
        False,
        alias="sitemaps_from_robots",
        description="URLs of sitemaps named in robots.txt join the crawl (ours).",
    )


class Plugin(Group):
    """Plug-ins of one's own."""

    prefix = "plugin"

    folders: ConfigFile = Field(None, description="Folder with plug-ins of one's own.")
