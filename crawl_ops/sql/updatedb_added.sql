-- The new rows of a crawldb bucket that links brought, sorted.
SELECT
    k,
    slot,
    url,
    host,
    domain,
    'db_unfetched'                                                               AS status,
    date_trunc('milliseconds', $now::TIMESTAMPTZ)                                AS fetch_time,
    NULL                                                                         AS fetched_time,
    sitemap.modified_time,
    coalesce(sitemap.interval_s, $interval_default)                        AS interval_s,
    0                                                                            AS retries,
    updated_score(coalesce(priority, 0::FLOAT), share)                AS score,
    NULL                                                                         AS signature,
    NULL                                                                         AS protocol_status,
    NULL                                                                         AS http_status,
    'found by ' || ['link', 'feed', 'sitemap', 'redirect', 'refresh', 'canonical'][kind] AS reason,
    NULL                                                                         AS etag,
    NULL                                                                         AS last_modified,
    NULL                                                                         AS content_type,
    way_depth(way)                                                          AS depth,
    way_max_depth(way)                                                      AS max_depth,
    NULL                                                                         AS segment,
    metadata
FROM (
    -- Sorted while they are narrow: what is the same in all of them is added after it.
    SELECT
        link.k, named.slot, named.url, named.host, named.domain, link.kind, link.share, link.way,
        about.sitemap, about.priority, about.metadata
    FROM fresh AS link
    JOIN named USING (k)
    JOIN (
        SELECT host, row_number() OVER (ORDER BY host) AS place FROM (SELECT DISTINCT host FROM named)
    ) AS hosts ON hosts.host = named.host
    LEFT JOIN described AS about ON about.k = link.k
    WHERE $additions_allowed
    ORDER BY hosts.place, named.url  -- hosts as numbers: half of the text to compare
)
