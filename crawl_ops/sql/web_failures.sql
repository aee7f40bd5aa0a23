-- Pages that were not to be had in the segments of a run: a row a kind of failure, most first.
-- A page that was asked for again since, as a depth that is cleared does, counts as it was then.
WITH failed AS (
    SELECT * FROM crawl_fetch WHERE fetch_status IN ('fetch_retry', 'fetch_gone', 'parse_failed')
)
SELECT
    fetch_status,
    protocol_status,
    http_status,
    count(*)                AS urls,
    count(DISTINCT host)    AS hosts,
    min_by(reason, url)     AS reason,
    min(url)                AS url
FROM failed
WHERE NOT EXISTS (
    SELECT 1 FROM crawl_fetch AS later WHERE later.k = failed.k AND later.fetch_time > failed.fetch_time
)
GROUP BY fetch_status, protocol_status, http_status
ORDER BY urls DESC, fetch_status, protocol_status, http_status
LIMIT $most
