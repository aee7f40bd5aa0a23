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
    loop_count: int = Field(
        1, ge=1, le=10, description="How often the chain is repeated, until nothing changes."
    )
    basic_host_idn: str = Field(
        "toAscii",
        pattern="^(toAscii|toUnicode|)$",
        description="Host names as ASCII (punycode), Unicode, or as they are.",
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
        ("regex",),
        description="Filters in order: regex, prefix, suffix, domain, domaindenylist, fast, "
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
