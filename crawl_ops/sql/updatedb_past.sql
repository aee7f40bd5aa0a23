-- What the crawldb has of the fetched URLs of a bucket. Not their text, which is most of what there
-- is to read: that a key is another URL's shows in the host.
SELECT
    k, row, host, status, fetched_time, modified_time, interval_s, retries, score, signature, etag,
    last_modified, content_type, depth, max_depth, metadata
FROM known SEMI JOIN fetched USING (k)
