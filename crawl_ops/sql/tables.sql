-- The map of the data. Every Parquet file of a crawl has exactly the columns of one of these.
-- k: 64-bit key of a URL. slot: 16-bit hash of its registered domain; a bucket is a range of slots.
-- Times are UTC, cut to milliseconds. Statuses are Nutch's names.

CREATE TABLE crawldb (
    k               UBIGINT     NOT NULL,
    slot            USMALLINT   NOT NULL,
    url             VARCHAR     NOT NULL,  -- normalized; one row a URL
    host            VARCHAR     NOT NULL,
    domain          VARCHAR     NOT NULL,  -- registered domain; the host where there is none
    status          VARCHAR     NOT NULL CHECK (status IN ('db_unfetched', 'db_fetched', 'db_gone', 'db_redir_temp', 'db_redir_perm', 'db_notmodified', 'db_duplicate', 'db_orphan', 'db_parse_failed')),
    fetch_time      TIMESTAMPTZ NOT NULL,  -- when it is due next, not when it was fetched
    fetched_time    TIMESTAMPTZ,           -- when it was last asked for
    modified_time   TIMESTAMPTZ,           -- fetch time of the last change seen
    interval_s      INTEGER     NOT NULL,  -- seconds until the next fetch
    retries         SMALLINT    NOT NULL,  -- failed tries in a row
    score           FLOAT       NOT NULL,
    signature       BLOB,                  -- 16 bytes, of the last content
    protocol_status VARCHAR,               -- of the last fetch
    http_status     SMALLINT,              -- of the last fetch
    reason          VARCHAR,               -- why the status is what it is, in a few words
    etag            VARCHAR,               -- as the server sent it
    last_modified   VARCHAR,               -- as the server sent it
    content_type    VARCHAR,
    depth           INTEGER,               -- scoring-depth: links from a seed, seeds are 1
    max_depth       INTEGER,
    segment         VARCHAR,               -- the segment whose fetch decided the status
    metadata        VARCHAR                -- JSON object, or NULL
);

CREATE TABLE crawldb_moved (               -- what links change of crawldb rows, where a round is small
    k               UBIGINT     NOT NULL,
    slot            USMALLINT   NOT NULL,
    score           FLOAT       NOT NULL,
    depth           INTEGER,
    max_depth       INTEGER
);

CREATE TABLE crawl_generate (
    k               UBIGINT     NOT NULL,
    slot            USMALLINT   NOT NULL,
    url             VARCHAR     NOT NULL,
    host            VARCHAR     NOT NULL,
    domain          VARCHAR     NOT NULL,
    list            SMALLINT    NOT NULL,  -- fetch list, from 0
    position        INTEGER     NOT NULL,  -- in its list, hosts interleaved
    score           FLOAT       NOT NULL,
    status          VARCHAR     NOT NULL,  -- crawldb status at generate
    fetch_time      TIMESTAMPTZ NOT NULL,
    modified_time   TIMESTAMPTZ,
    interval_s      INTEGER     NOT NULL,
    retries         SMALLINT    NOT NULL,
    signature       BLOB,
    etag            VARCHAR,
    last_modified   VARCHAR,
    depth           INTEGER,
    max_depth       INTEGER,
    metadata        VARCHAR
);

CREATE TABLE crawl_fetch (
    k               UBIGINT     NOT NULL,
    slot            USMALLINT   NOT NULL,
    url             VARCHAR     NOT NULL,
    host            VARCHAR     NOT NULL,
    domain          VARCHAR     NOT NULL,
    list            SMALLINT    NOT NULL,
    attempt         VARCHAR     NOT NULL,  -- which running of the fetch wrote this row
    via             VARCHAR,               -- the URL of the fetch list that led here, where it is another
    fetch_status    VARCHAR     NOT NULL CHECK (fetch_status IN ('fetch_success', 'fetch_retry', 'fetch_redir_temp', 'fetch_redir_perm', 'fetch_gone', 'fetch_notmodified', 'parse_failed')),
    protocol_status VARCHAR     NOT NULL,
    http_status     SMALLINT,
    reason          VARCHAR,
    fetch_time      TIMESTAMPTZ NOT NULL,  -- when the fetch ended
    response_ms     INTEGER,
    bytes           BIGINT      NOT NULL,  -- content kept
    content_type    VARCHAR,
    truncated       VARCHAR,               -- NULL, length, time, disconnect
    redirect_url    VARCHAR,               -- normalized target, whether or not it was followed
    repr_url        VARCHAR,
    hops            SMALLINT    NOT NULL,  -- redirects before this request
    etag            VARCHAR,
    last_modified   VARCHAR,
    ip_address      VARCHAR,
    score           FLOAT       NOT NULL,  -- this and the rest as in crawl_generate
    modified_time   TIMESTAMPTZ,
    interval_s      INTEGER     NOT NULL,
    retries         SMALLINT    NOT NULL,
    signature       BLOB,
    depth           INTEGER,
    max_depth       INTEGER,
    metadata        VARCHAR
);

CREATE TABLE content (
    k               UBIGINT     NOT NULL,
    slot            USMALLINT   NOT NULL,
    url             VARCHAR     NOT NULL,
    attempt         VARCHAR     NOT NULL,
    base_url        VARCHAR     NOT NULL,
    fetch_time      TIMESTAMPTZ NOT NULL,
    http_status     SMALLINT,
    content_type    VARCHAR,               -- media type after detection, without parameters
    charset_hint    VARCHAR,               -- of the Content-Type header
    headers         VARCHAR,               -- JSON array of [name, value]
    content         BLOB        NOT NULL,
    truncated       VARCHAR,
    score           FLOAT       NOT NULL,
    depth           INTEGER,
    max_depth       INTEGER,
    repr_url        VARCHAR,
    metadata        VARCHAR
);

CREATE TABLE parse_data (
    k               UBIGINT     NOT NULL,
    slot            USMALLINT   NOT NULL,
    url             VARCHAR     NOT NULL,
    attempt         VARCHAR     NOT NULL,  -- that of the content
    parse_status    VARCHAR     NOT NULL,
    reason          VARCHAR,
    kind            VARCHAR     NOT NULL,  -- page, sitemap, feed
    title           VARCHAR,
    base_url        VARCHAR,
    content_type    VARCHAR,
    charset         VARCHAR,
    language        VARCHAR,
    canonical_url   VARCHAR,
    refresh_url     VARCHAR,
    noindex         BOOLEAN     NOT NULL,
    nofollow        BOOLEAN     NOT NULL,
    noarchive       BOOLEAN     NOT NULL,
    outlinks_found  INTEGER     NOT NULL,
    outlinks_kept   INTEGER     NOT NULL,
    outlinks_rejected VARCHAR,             -- JSON object: rule -> count
    truncated       VARCHAR,
    signature       BLOB,
    fetch_time      TIMESTAMPTZ NOT NULL,
    metadata        VARCHAR
);

CREATE TABLE parse_text (
    k               UBIGINT     NOT NULL,
    slot            USMALLINT   NOT NULL,
    url             VARCHAR     NOT NULL,
    attempt         VARCHAR     NOT NULL,
    text            VARCHAR     NOT NULL
);

CREATE TABLE crawl_parse (                 -- links: one row a link, sorted by the target's slot
    k               UBIGINT     NOT NULL,  -- of the target
    slot            USMALLINT   NOT NULL,  -- of the target
    to_url          VARCHAR     NOT NULL,
    to_host         VARCHAR     NOT NULL,
    to_domain       VARCHAR     NOT NULL,
    from_k          UBIGINT     NOT NULL,
    from_url        VARCHAR     NOT NULL,
    from_host       VARCHAR     NOT NULL,
    attempt         VARCHAR     NOT NULL,
    kind            VARCHAR     NOT NULL CHECK (kind IN ('link', 'redirect', 'refresh', 'canonical', 'sitemap', 'feed')),
    position        INTEGER     NOT NULL,  -- on the page, from 0
    anchor          VARCHAR,
    rel             VARCHAR,
    score           FLOAT       NOT NULL,  -- the share of the page's score
    depth           INTEGER,
    max_depth       INTEGER,
    interval_s      INTEGER,               -- sitemaps only
    modified_time   TIMESTAMPTZ,           -- sitemaps only
    metadata        VARCHAR
);

CREATE TABLE rejected (                    -- URLs that went no further in a segment, and why
    k               UBIGINT     NOT NULL,
    url             VARCHAR     NOT NULL,
    attempt         VARCHAR     NOT NULL,
    step            VARCHAR     NOT NULL,  -- generate, fetch, parse
    rule            VARCHAR     NOT NULL,  -- as in urlfilter.regex, db.max.outlinks.per.page
    detail          VARCHAR,
    from_url        VARCHAR,
    time            TIMESTAMPTZ NOT NULL
);

CREATE TABLE robots (                      -- robots.txt answers seen in a segment
    origin          VARCHAR     NOT NULL,  -- scheme://host:port
    host            VARCHAR     NOT NULL,
    slot            USMALLINT   NOT NULL,
    attempt         VARCHAR     NOT NULL,
    fetch_time      TIMESTAMPTZ NOT NULL,
    http_status     SMALLINT,
    outcome         VARCHAR     NOT NULL,  -- rules, allow_all, disallow_all, deferred
    reason          VARCHAR,
    crawl_delay_s   FLOAT,
    content         BLOB
);

CREATE TABLE linkdb (                      -- one row a link, sorted by target
    k               UBIGINT     NOT NULL,  -- of the target
    slot            USMALLINT   NOT NULL,
    to_url          VARCHAR     NOT NULL,
    from_k          UBIGINT     NOT NULL,
    from_url        VARCHAR     NOT NULL,
    from_host       VARCHAR     NOT NULL,
    anchor          VARCHAR     NOT NULL,  -- '' where the link has none
    first_segment   VARCHAR     NOT NULL,
    last_segment    VARCHAR     NOT NULL
);

CREATE TABLE hostdb (
    host            VARCHAR     NOT NULL,
    domain          VARCHAR     NOT NULL,
    slot            USMALLINT   NOT NULL,
    unfetched       BIGINT      NOT NULL,
    fetched         BIGINT      NOT NULL,
    notmodified     BIGINT      NOT NULL,
    redir_temp      BIGINT      NOT NULL,
    redir_perm      BIGINT      NOT NULL,
    gone            BIGINT      NOT NULL,
    duplicate       BIGINT      NOT NULL,
    orphan          BIGINT      NOT NULL,
    parse_failed    BIGINT      NOT NULL,
    failing         BIGINT      NOT NULL,  -- URLs with retries
    failed_fetches  BIGINT      NOT NULL,  -- since the last good one
    last_good_time  TIMESTAMPTZ,
    last_fetch_time TIMESTAMPTZ,
    last_reason     VARCHAR,               -- of the last failure
    response_ms     INTEGER,               -- mean of the last segment
    robots_origin   VARCHAR,
    robots_time     TIMESTAMPTZ,           -- of the last good copy
    robots_outcome  VARCHAR,
    robots_content  BLOB,
    crawl_delay_s   FLOAT
);
