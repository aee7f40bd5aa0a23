-- What the crawldb knows of the pages of a segment.
SELECT k, status, score, fetched_time, modified_time, signature, segment, metadata
FROM crawldb SEMI JOIN fetched USING (k)
