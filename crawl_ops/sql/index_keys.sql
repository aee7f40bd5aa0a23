-- The pages of a segment.
SELECT k FROM crawl_fetch
