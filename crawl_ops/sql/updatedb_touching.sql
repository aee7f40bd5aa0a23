-- The rows that a small round may change, all read in one go.
SELECT
    k, slot, row, host, status, fetched_time, modified_time, interval_s, retries, score, signature, etag,
    last_modified, content_type, depth, max_depth, metadata
FROM known SEMI JOIN (SELECT k FROM linked UNION ALL SELECT k FROM fetched) USING (k)
