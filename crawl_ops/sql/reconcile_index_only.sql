-- Documents whose page the crawldb does not hold as fetched.
SELECT url
FROM indexed
WHERE url <> '' AND url NOT IN (SELECT url FROM crawldb WHERE status IN ('db_fetched', 'db_notmodified'))
ORDER BY url
