-- `past` of wanted URLs whose key is that of another host's URL in the crawldb.
SELECT
    k, host, status, fetched_time, modified_time, interval_s, retries, score, signature, etag,
    last_modified, content_type, depth, max_depth, metadata
FROM stored SEMI JOIN wanted USING (k)
