-- What a bucket holds of the selected URLs, but for their text. An interval beyond the maximum is
-- brought below it.
SELECT
    d.k, d.slot, d.score, d.status,
    if(d.fetch_time > $cur_time + to_seconds($interval_max), $cur_time, d.fetch_time) AS fetch_time,
    d.modified_time,
    if(d.fetch_time > $cur_time + to_seconds($interval_max) AND d.interval_s > $interval_max,
        floor($interval_max * 0.9 + 0.5)::INTEGER, d.interval_s)                      AS interval_s,
    d.retries, d.signature, d.etag, d.last_modified, d.depth, d.max_depth, d.metadata
FROM crawldb AS d SEMI JOIN placed USING (k)
WHERE d.score >= $least::FLOAT
