-- Fetched pages that are not in the index.
SELECT url
FROM crawldb
WHERE status IN ('db_fetched', 'db_notmodified') AND url NOT IN (SELECT url FROM indexed)
ORDER BY url
