-- How many pages of the crawldb are good; one that is there twice is.
SELECT count(*) AS pages
FROM crawldb
WHERE status IN ('db_fetched', 'db_notmodified', 'db_duplicate')
