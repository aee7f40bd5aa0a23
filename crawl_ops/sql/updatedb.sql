-- A bucket of the crawldb after one segment: known URLs, new ones from links, fetched ones.
WITH kept AS (
    SELECT
        old.* REPLACE (
            if(link.k IS NULL, old.score, updated_score(old.score, link.share))      AS score,
            least(old.depth, way_depth(link.way))                                    AS depth,
            if(way_depth(link.way) < coalesce(old.depth, 2147483647), way_max_depth(link.way), old.max_depth) AS max_depth
        )
    FROM (SELECT * FROM known ANTI JOIN outcome USING (k)) AS old
    LEFT JOIN (SELECT k, share, way FROM linked) AS link ON link.k = old.k
),
added AS (
    SELECT
        link.k,
        link.slot,
        link.url,
        link.host,
        link.domain,
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
    FROM linked AS link
    ANTI JOIN known ON known.k = link.k
    ANTI JOIN outcome ON outcome.k = link.k
    LEFT JOIN described AS about ON about.k = link.k
    WHERE $additions_allowed
)
FROM kept
UNION ALL
FROM added
UNION ALL
FROM outcome
ORDER BY host, url
