-- The selected URLs of a bucket, with what fetch needs of the crawldb. An interval beyond the maximum
-- is brought below it.
SELECT
    d.k, d.slot, d.url, d.host, d.domain, d.score, d.status,
    if(d.fetch_time > $cur_time + to_seconds($interval_max), $cur_time, d.fetch_time) AS fetch_time,
    d.modified_time,
    if(d.fetch_time > $cur_time + to_seconds($interval_max) AND d.interval_s > $interval_max,
        floor($interval_max * 0.9 + 0.5)::INTEGER, d.interval_s)                      AS interval_s,
    d.retries, d.signature, d.etag, d.last_modified, d.depth, d.max_depth, d.metadata,
    s.sort_value,
    s.list,
    place_of(s.rank_in_host, d.host, s.sort_value, d.url)                             AS rank_in_host
FROM crawldb AS d
JOIN (SELECT * FROM dealt WHERE slot BETWEEN $lo::USMALLINT AND $hi::USMALLINT) AS s USING (k)
WHERE d.score >= $least::FLOAT
ORDER BY list, rank_in_host, d.host
