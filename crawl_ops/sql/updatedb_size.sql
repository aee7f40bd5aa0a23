-- How many rows a segment brings.
SELECT (SELECT count(*) FROM crawl_fetch) + (SELECT count(*) FROM crawl_parse) AS n
