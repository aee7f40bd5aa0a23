-- `past` of the wanted URLs; by their hosts most of a table that is sorted by host is skipped.
SELECT
    k, host, status, fetched_time, modified_time, interval_s, retries, score, signature, etag,
    last_modified, content_type, depth, max_depth, metadata
FROM stored SEMI JOIN wanted USING (k, host)
