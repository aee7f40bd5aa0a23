-- What the URLs of a segment that is redone came to.
SELECT * FROM crawl_fetch
