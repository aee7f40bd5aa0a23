-- Pages and failures a span of $step seconds, of the segments of a run.
SELECT
    CAST(floor(epoch(fetch_time) / $step) * $step AS BIGINT)                   AS time,
    count(*)                                                                  AS pages,
    count(*) FILTER (fetch_status IN ('fetch_retry', 'fetch_gone'))           AS failed
FROM crawl_fetch
GROUP BY time
ORDER BY time DESC
LIMIT $most
