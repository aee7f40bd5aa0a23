"""Properties of http, robots.txt and what is kept of an answer."""

from pydantic import Field

from crawl_ops.config.group import INTEGER_MAX, ConfigFile, Group, HeaderText, Words


class Http(Group):
    """Requests, limits, robots rules, addresses."""

    prefix = "http"

    agent_name: HeaderText = Field(
        "",
        max_length=200,
        description="Name the crawl gives itself; must be set to fetch. Its product token is what "
        "robots.txt rules are matched with.",
    )
    agent_version: HeaderText = Field("", description="Appended to the name after a slash.")
    agent_description: HeaderText = Field("", description="In brackets after the name.")
    agent_url: HeaderText = Field("", description="In brackets after the name.")
    agent_email: HeaderText = Field("", description="In brackets after the name.")
    robots_agents: Words = Field(
        (), description="Further names that robots.txt rules are matched with."
    )
    robot_rules_allowlist: Words = Field((), description="Hosts whose robots.txt is not asked for.")
    robots_403_allow: bool = Field(
        True, description="A robots.txt that answers 403 allows everything."
    )
    robots_503_defer_visits: bool = Field(
        True, description="Wait when robots.txt answers 5xx or 429, or cannot be reached."
    )
    robots_503_defer_visits_delay: int = Field(
        300_000, ge=0, le=86_400_000, description="Milliseconds before robots.txt is asked again."
    )
    robots_503_defer_visits_retries: int = Field(
        3, ge=0, le=100, description="Tries, after which the host is left for this round."
    )
    robots_redirect_max: int = Field(
        5, ge=0, le=100, description="Redirects followed for robots.txt."
    )
    robots_content_limit: int = Field(
        512_000,
        ge=1024,
        le=1 << 30,
        description="Bytes of robots.txt that are read (RFC 9309 2.5; ours).",
    )
    robots_cache_hours: float = Field(
        24.0, ge=0, le=168, description="Hours for which a robots.txt may be used again (ours)."
    )
    timeout: int = Field(
        10_000, ge=1, le=86_400_000, description="Milliseconds to connect, and between two reads."
    )
    content_limit: int = Field(
        1_048_576, ge=-1, le=INTEGER_MAX, description="Decoded bytes kept of a page; -1: all."
    )
    time_limit: float = Field(-1, ge=-1, le=86_400, description="Seconds for one page; -1: 300.")
    min_throughput: float = Field(
        100.0,
        ge=0,
        le=1e9,
        description="Bytes per second that an answer must bring on average, or it ends there, "
        "truncated; 0: any (ours).",
    )
    min_throughput_after: float = Field(
        30.0,
        ge=0,
        le=86_400,
        description="Seconds from the first byte after which http.min.throughput counts (ours).",
    )
    header_limit: int = Field(
        262_144, ge=8192, le=64 << 20, description="Bytes of response headers (ours)."
    )
    partial_truncated: bool = Field(
        False, description="Keep bodies that end too early, marked as truncated."
    )
    redirect_max: int = Field(
        5, ge=0, le=100, description="Redirects followed at once; 0: in the next round."
    )
    redirect_max_exceeded_skip: bool = Field(
        False, description="Drop the target when there are too many redirects."
    )
    tls_certificates_check: bool = Field(False, description="Refuse bad certificates.")
    proxy_host: str = Field("", description="Proxy host name.")
    proxy_port: int | None = Field(None, ge=1, le=65535, description="Proxy port.")
    proxy_username: str = Field("", description="Proxy user.")
    proxy_password: str = Field("", description="Proxy password.")
    proxy_exception_list: Words = Field(
        (), description="Hosts that are asked without the proxy; `*` stands for anything."
    )
    auth_file: ConfigFile = Field(
        None, description="Credentials in the format of Nutch's httpclient-auth.xml."
    )
    agent_host_cookie_file: ConfigFile = Field(
        None, description="Cookies by host: lines HOST TAB COOKIE."
    )
    enable_cookie_header: bool = Field(
        True,
        description="Send cookies: the record's (Cookie=... of a seed line), else its host's.",
    )
    accept: HeaderText = Field(
        "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
        description="Request header.",
    )
    accept_language: HeaderText = Field(
        "en-us,en-gb,en;q=0.7,*;q=0.3", description="Request header; a blank leaves it out."
    )
    accept_charset: HeaderText = Field(
        "utf-8,iso-8859-1;q=0.7,*;q=0.7", description="Request header; a blank leaves it out."
    )
    store_responsetime: bool = Field(True, description="Keep the response time.")
    enable_if_modified_since_header: bool = Field(
        True, description="Ask conditionally when the page is known."
    )
    retry_after_max: int = Field(
        300,
        ge=0,
        le=86_400,
        description="Longest Retry-After (seconds) that is waited for within a fetch (ours).",
    )
    filter_ipaddress_include: Words = Field(
        (), description="Only these addresses: IPs, CIDR blocks, or localhost, loopback, sitelocal."
    )
    filter_ipaddress_exclude: Words = Field(
        ("private",),
        description="Never these addresses: IPs, CIDR blocks, localhost, loopback, sitelocal, or "
        "private (all that is not public).",
    )


class File(Group):
    """Files on this machine as pages."""

    prefix = "file"

    roots: Words = Field(
        (),
        description="Folders, in full, whose files may be fetched by file: URLs; without any, none "
        "(ours).",
    )
    content_limit: int = Field(
        1_048_576, ge=-1, le=INTEGER_MAX, description="Bytes kept of a file; -1: all."
    )
    crawl_parent: bool = Field(
        True, description="The page of a folder links to the folder above, below its root."
    )


class Store(Group):
    """What else is kept of an answer."""

    prefix = "store"

    ip_address: bool = Field(True, description="Keep the server's address.")
    http_headers: bool = Field(True, description="Keep the response headers.")
