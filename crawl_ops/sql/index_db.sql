-- What the crawldb knows of the pages of a segment.
SELECT k, status, score, modified_time, segment, metadata FROM crawldb SEMI JOIN keys USING (k)
