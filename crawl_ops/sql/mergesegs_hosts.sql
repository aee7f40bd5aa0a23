-- How large the merged fetch list is.
SELECT count(*) AS urls, count(DISTINCT host) AS hosts FROM crawl_generate
