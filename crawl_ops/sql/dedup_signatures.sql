-- Signatures that more than one page has; a 64-bit part of each is enough to find candidates.
SELECT hash(signature) AS part
FROM crawldb
WHERE status IN ('db_fetched', 'db_notmodified') AND signature IS NOT NULL
GROUP BY part
HAVING count(*) > 1
