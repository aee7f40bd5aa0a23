-- A bucket of the crawldb after one segment: fetched pages, known ones, new ones from links.
WITH standing AS (SELECT * FROM known ANTI JOIN outcome USING (k)),
pointed AS (
    SELECT * FROM linked ANTI JOIN outcome USING (k)
)
SELECT
    coalesce(old.k, link.k)                                               AS k,
    coalesce(old.slot, link.slot)                                         AS slot,
    coalesce(old.url, link.url)                                           AS url,
    coalesce(old.host, link.host)                                         AS host,
    coalesce(old.domain, link.domain)                                     AS domain,
    coalesce(old.status, 'db_unfetched')                                  AS status,
    coalesce(old.fetch_time, date_trunc('milliseconds', $now::TIMESTAMPTZ)) AS fetch_time,
    old.fetched_time                                                      AS fetched_time,
    if(old.k IS NULL, link.sitemap.modified_time, old.modified_time)      AS modified_time,
    coalesce(old.interval_s, link.sitemap.interval_s, $interval_default)  AS interval_s,
    coalesce(old.retries, 0)                                              AS retries,
    CASE
        WHEN link.k IS NULL OR old.url <> link.url THEN old.score
        WHEN old.k IS NULL THEN greatest(-1e30::FLOAT, least(1e30::FLOAT, updated_score(link.priority, link.share)))
        ELSE updated_score(old.score, link.share)
    END                                                                   AS score,
    old.signature                                                         AS signature,
    old.protocol_status                                                   AS protocol_status,
    old.http_status                                                       AS http_status,
    if(old.k IS NULL, 'found by ' || link.kind, old.reason)               AS reason,
    old.etag                                                              AS etag,
    old.last_modified                                                     AS last_modified,
    old.content_type                                                      AS content_type,
    if(old.url <> link.url, old.depth, least(old.depth, link.depth))      AS depth,
    if(old.k IS NULL OR (old.url = link.url AND link.depth < coalesce(old.depth, 2147483647)), link.max_depth, old.max_depth) AS max_depth,
    old.segment                                                           AS segment,
    if(old.k IS NULL, link.metadata, old.metadata)                        AS metadata
FROM standing AS old FULL JOIN pointed AS link ON link.k = old.k
WHERE old.k IS NOT NULL OR $additions_allowed
UNION ALL
SELECT * FROM outcome
ORDER BY host, url
