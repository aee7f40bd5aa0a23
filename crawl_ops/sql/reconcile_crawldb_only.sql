-- Fetched pages that are not in the index.
SELECT url
FROM crawldb ANTI JOIN indexed USING (url)
WHERE status IN ('db_fetched', 'db_notmodified')
