-- The crawldb rows of seeds that are new, sorted.
SELECT
    k,
    slot,
    url,
    host,
    domain,
    'db_unfetched'     AS status,
    $now::TIMESTAMPTZ  AS fetch_time,
    NULL               AS fetched_time,
    NULL               AS modified_time,
    interval_s,
    0                  AS retries,
    score,
    NULL               AS signature,
    NULL               AS protocol_status,
    NULL               AS http_status,
    NULL               AS reason,
    NULL               AS etag,
    NULL               AS last_modified,
    NULL               AS content_type,
    1                  AS depth,
    max_depth,
    NULL               AS segment,
    metadata
FROM (
    SELECT * FROM (SELECT * FROM seeds WHERE slot BETWEEN $lo::USMALLINT AND $hi::USMALLINT)
    ANTI JOIN past USING (k)
    ORDER BY host, url
)
