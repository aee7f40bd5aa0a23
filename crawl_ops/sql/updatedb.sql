-- The new rows of a crawldb bucket after one segment: from links, and fetched ones that were not known.
WITH added AS (
    SELECT
        link.k,
        link.slot,
        named.url,
        named.host,
        named.domain,
        'db_unfetched'                                                               AS status,
        date_trunc('milliseconds', $now::TIMESTAMPTZ)                                AS fetch_time,
        NULL                                                                         AS fetched_time,
        about.sitemap.modified_time,
        coalesce(about.sitemap.interval_s, $interval_default)                        AS interval_s,
        0                                                                            AS retries,
        updated_score(coalesce(about.priority, 0::FLOAT), link.share)                AS score,
        NULL                                                                         AS signature,
        NULL                                                                         AS protocol_status,
        NULL                                                                         AS http_status,
        'found by ' || ['link', 'feed', 'sitemap', 'redirect', 'refresh', 'canonical'][link.kind] AS reason,
        NULL                                                                         AS etag,
        NULL                                                                         AS last_modified,
        NULL                                                                         AS content_type,
        way_depth(link.way)                                                          AS depth,
        way_max_depth(link.way)                                                      AS max_depth,
        NULL                                                                         AS segment,
        about.metadata
    FROM fresh AS link
    JOIN named USING (k)
    LEFT JOIN described AS about ON about.k = link.k
    WHERE $additions_allowed
)
FROM added
UNION ALL
(FROM outcome ANTI JOIN past USING (k))
ORDER BY host, url
