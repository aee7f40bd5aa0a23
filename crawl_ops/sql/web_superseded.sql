-- Answers of a run whose URL was asked for again since: a depth was cleared.
SELECT
    count(*)                                                                          AS pages,
    count(*) FILTER (fetch_status IN ('fetch_retry', 'fetch_gone', 'parse_failed'))   AS failed
FROM crawl_fetch AS earlier
WHERE EXISTS (
    SELECT 1 FROM crawl_fetch AS later WHERE later.k = earlier.k AND later.fetch_time > earlier.fetch_time
)
