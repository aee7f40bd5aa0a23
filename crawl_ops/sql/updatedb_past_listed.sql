-- `past` of URLs whose row is still what the fetch list has of it: no commit came between.
SELECT
    k,
    list.host,
    list.status,
    known.fetched_time,
    list.modified_time,
    list.interval_s,
    list.retries,
    known.score,
    list.signature,
    list.etag,
    list.last_modified,
    known.content_type,
    known.depth,
    known.max_depth,
    list.metadata
FROM known
JOIN crawl_generate AS list USING (k)
SEMI JOIN (SELECT k FROM fetched WHERE via IS NULL) USING (k)
