-- Signatures that more than one page has, of a range; 64 bits of each are enough to find candidates.
SELECT part
FROM (
    SELECT hash(signature) AS part
    FROM crawldb
    WHERE status IN ('db_fetched', 'db_notmodified') AND signature IS NOT NULL
)
WHERE part BETWEEN $first::UBIGINT AND $last::UBIGINT
GROUP BY part
HAVING count(*) > 1
