-- How many hosts a segment may change.
SELECT (SELECT count(*) FROM shifts) + (SELECT count(DISTINCT host) FROM crawl_fetch) AS n
