"""Properties of URL normalizers and filters."""

from pydantic import Field

from crawl_ops.config.group import INTEGER_MAX, ConfigFile, Group, Words


class UrlNormalizer(Group):
    """Normalizers, in order."""

    prefix = "urlnormalizer"

    order: Words = Field(
        ("basic", "regex"),
        description="Normalizers in order: basic, regex, querystring, host, protocol, slash, ajax, "
        "pass, or MODULE:CLASS.",
    )
    order_inject: Words = Field(
        (), description="Order in scope inject; empty: urlnormalizer.order."
    )
    order_outlink: Words = Field(
        (), description="Order in scope outlink; empty: urlnormalizer.order."
    )
    order_fetcher: Words = Field(
        (), description="Order in scope fetcher; empty: urlnormalizer.order."
    )
    order_crawldb: Words = Field(
        (), description="Order in scope crawldb; empty: urlnormalizer.order."
    )
    order_linkdb: Words = Field(
        (), description="Order in scope linkdb; empty: urlnormalizer.order."
    )
    order_indexer: Words = Field(
        (), description="Order in scope indexer; empty: urlnormalizer.order."
    )
    order_partition: Words = Field(
        (), description="Order in scope partition; empty: urlnormalizer.order."
    )
    order_generate_host_count: Words = Field(
        (),
        alias="urlnormalizer.order.generate_host_count",
        description="Order in scope generate_host_count; empty: urlnormalizer.order.",
    )
    scope_default: Words = Field(
        (), description="Only these of the order, in scope default; empty: all."
    )
    scope_inject: Words = Field(
        (), description="Only these of the order, in scope inject; empty: all."
    )
    scope_outlink: Words = Field(
        (), description="Only these of the order, in scope outlink; empty: all."
    )
    scope_fetcher: Words = Field(
        (), description="Only these of the order, in scope fetcher; empty: all."
    )
    scope_crawldb: Words = Field(
        (), description="Only these of the order, in scope crawldb; empty: all."
    )
    scope_linkdb: Words = Field(
        (), description="Only these of the order, in scope linkdb; empty: all."
    )
    scope_indexer: Words = Field(
        (), description="Only these of the order, in scope indexer; empty: all."
    )
    scope_partition: Words = Field(
        (), description="Only these of the order, in scope partition; empty: all."
    )
    scope_generate_host_count: Words = Field(
        (),
        alias="urlnormalizer.scope.generate_host_count",
        description="Only these of the order, in scope generate_host_count; empty: all.",
    )
    loop_count: int = Field(
        1, ge=1, le=10, description="How often the chain is repeated, until nothing changes."
    )
    basic_host_idn: str = Field(
        "toAscii",
        pattern="^(toAscii|toUnicode|)$",
        description="Host names as ASCII (punycode), Unicode, or as they are.",
    )
    basic_host_idna2008: bool = Field(
        True,
        description="Host names by UTS 46 as browsers have them; else ß is ss and the like, as in "
        "IDNA 2003 (Nutch's default).",
    )
    basic_host_trim_trailing_dot: bool = Field(
        True,
        alias="urlnormalizer.basic.host.trim-trailing-dot",
        description="The dot after a host name is dropped.",
    )
    regex_file: ConfigFile = Field(
        None, description="Rules in the format of Nutch's regex-normalize.xml."
    )
    regex_rules: str = Field("", description="The same rules, inline.")
    regex_file_inject: ConfigFile = Field(
        None, description="Regex rules in scope inject; empty: those of all scopes."
    )
    regex_file_outlink: ConfigFile = Field(
        None, description="Regex rules in scope outlink; empty: those of all scopes."
    )
    regex_file_fetcher: ConfigFile = Field(
        None, description="Regex rules in scope fetcher; empty: those of all scopes."
    )
    regex_file_crawldb: ConfigFile = Field(
        None, description="Regex rules in scope crawldb; empty: those of all scopes."
    )
    regex_file_linkdb: ConfigFile = Field(
        None, description="Regex rules in scope linkdb; empty: those of all scopes."
    )
    regex_file_indexer: ConfigFile = Field(
        None, description="Regex rules in scope indexer; empty: those of all scopes."
    )
    regex_file_partition: ConfigFile = Field(
        None, description="Regex rules in scope partition; empty: those of all scopes."
    )
    regex_file_generate_host_count: ConfigFile = Field(
        None,
        alias="urlnormalizer.regex.file.generate_host_count",
        description="Regex rules in scope generate_host_count; empty: those of all scopes.",
    )
    hosts_file: ConfigFile = Field(None, description="Rules of the host normalizer.")
    protocols_file: ConfigFile = Field(None, description="Rules of the protocol normalizer.")
    protocols_rules: str = Field("", description="The same, inline.")
    slashes_file: ConfigFile = Field(None, description="Rules of the slash normalizer.")


class UrlFilter(Group):
    """Filters, in order; the first that refuses decides."""

    prefix = "urlfilter"

    order: Words = Field(
        ("regex", "traps"),
        description="Filters in order: regex, traps, prefix, suffix, domain, domaindenylist, fast, "
        "automaton, validator, or MODULE:CLASS.",
    )
    regex_file: ConfigFile = Field(
        None, description="Rules +REGEX and -REGEX; the first that is found in a URL decides."
    )
    regex_rules: str = Field("", description="The same, inline.")
    prefix_file: ConfigFile = Field(None, description="URL prefixes that are accepted.")
    prefix_rules: str = Field("", description="The same, inline.")
    suffix_file: ConfigFile = Field(None, description="URL suffixes.")
    suffix_rules: str = Field("", description="The same, inline.")
    domain_file: ConfigFile = Field(
        None, description="Suffixes, domains and hosts that are accepted."
    )
    domain_rules: str = Field("", description="The same, inline.")
    domaindenylist_file: ConfigFile = Field(
        None, description="Suffixes, domains and hosts that are refused."
    )
    domaindenylist_rules: str = Field("", description="The same, inline.")
    automaton_file: ConfigFile = Field(
        None, description="Rules +REGEX and -REGEX that must fit the whole URL."
    )
    automaton_rules: str = Field("", description="The same, inline.")
    fast_file: ConfigFile = Field(None, description="Rules a host or domain.")
    fast_rules: str = Field("", description="The same, inline.")
    fast_url_max_length: int = Field(-1, ge=-1, le=INTEGER_MAX, description="Longest URL; -1: any.")
    fast_url_path_max_length: int = Field(
        -1, ge=-1, le=INTEGER_MAX, description="Longest path; -1: any."
    )
    fast_url_query_max_length: int = Field(
        -1, ge=-1, le=INTEGER_MAX, description="Longest query; -1: any."
    )
    traps_path_segments_max: int = Field(
        32, ge=-1, le=INTEGER_MAX, description="Folders of a path; -1: any number (ours)."
    )
    traps_path_repeats_max: int = Field(
        5, ge=-1, le=INTEGER_MAX, description="Times one folder stands in a path; -1: any (ours)."
    )
    traps_query_parameters_max: int = Field(
        24, ge=-1, le=INTEGER_MAX, description="Parameters of a query; -1: any number (ours)."
    )
    traps_query_repeats_max: int = Field(
        6, ge=-1, le=INTEGER_MAX, description="Parameters of one name; -1: any number (ours)."
    )
    traps_escapes_max: int = Field(
        2,
        ge=-1,
        le=INTEGER_MAX,
        description="Times a percent sign may be escaped (%2525 is 2); -1: any (ours).",
    )
    traps_calendar_year_min: int = Field(
        1990, ge=-1, le=999_999, description="First year of a calendar's pages; -1: any (ours)."
    )
    traps_calendar_year_max: int = Field(
        2035, ge=-1, le=999_999, description="Last year of a calendar's pages; -1: any (ours)."
    )
