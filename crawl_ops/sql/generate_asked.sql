-- The rows of a segment that is redone.
SELECT * FROM crawl_generate
