-- Signatures that more than one page has; 64 bits of each are enough to find candidates.
SELECT hash(signature) AS part
FROM crawldb
WHERE status IN ('db_fetched', 'db_notmodified') AND signature IS NOT NULL
GROUP BY part
HAVING count(*) > 1
