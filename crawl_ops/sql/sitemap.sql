-- A bucket of the crawldb after sitemaps were read: known URLs, and locations that are new. Of a URL named twice the best counts.
WITH named_once AS (
    SELECT * FROM named
    WHERE slot BETWEEN $lo::USMALLINT AND $hi::USMALLINT
    QUALIFY row_number() OVER (PARTITION BY k ORDER BY score DESC, interval_s, modified_time DESC NULLS LAST) = 1
)
SELECT
    coalesce(old.k, new.k)                                               AS k,
    coalesce(old.slot, new.slot)                                         AS slot,
    CASE
        WHEN old.url <> new.url THEN error('two URLs have one key: ' || old.url || ' ' || new.url)
        ELSE coalesce(old.url, new.url)
    END                                                                  AS url,
    coalesce(old.host, new.host)                                         AS host,
    coalesce(old.domain, new.domain)                                     AS domain,
    coalesce(old.status, new.status)                                     AS status,
    coalesce(old.fetch_time, new.fetch_time)                             AS fetch_time,
    old.fetched_time                                                     AS fetched_time,
    if(taken, coalesce(new.modified_time, old.modified_time), old.modified_time) AS modified_time,
    CASE
        WHEN old.k IS NULL THEN new.interval_s
        WHEN taken AND new.interval_s <> $interval_default THEN new.interval_s
        ELSE old.interval_s
    END                                                                  AS interval_s,
    coalesce(old.retries, new.retries)                                   AS retries,
    CASE
        WHEN old.k IS NULL THEN new.score
        WHEN taken AND new.score <> $default_score::FLOAT THEN new.score
        ELSE old.score
    END                                                                  AS score,
    old.signature                                                        AS signature,
    old.protocol_status                                                  AS protocol_status,
    old.http_status                                                      AS http_status,
    old.reason                                                           AS reason,
    old.etag                                                             AS etag,
    old.last_modified                                                    AS last_modified,
    old.content_type                                                     AS content_type,
    coalesce(old.depth, new.depth)                                       AS depth,
    coalesce(old.max_depth, new.max_depth)                               AS max_depth,
    old.segment                                                          AS segment,
    old.metadata                                                         AS metadata
FROM (
    SELECT
        old,
        new,
        old.k IS NULL OR ($overwrite AND new.k IS NOT NULL)              AS taken
    FROM crawldb AS old FULL JOIN named_once AS new ON old.k = new.k
)
ORDER BY host, url
