-- Pages that were not to be had in the segments of a run: a row a kind of failure, most first.
SELECT
    fetch_status,
    protocol_status,
    http_status,
    count(*)                AS urls,
    count(DISTINCT host)    AS hosts,
    min_by(reason, url)     AS reason,
    min(url)                AS url
FROM crawl_fetch
WHERE fetch_status IN ('fetch_retry', 'fetch_gone', 'parse_failed')
GROUP BY fetch_status, protocol_status, http_status
ORDER BY urls DESC, fetch_status, protocol_status, http_status
LIMIT $most
