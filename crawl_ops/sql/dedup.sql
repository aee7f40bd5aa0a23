-- The rows of a bucket that are duplicates. Only status and reason change.
SELECT
    crawldb.* REPLACE (
        'db_duplicate'                    AS status,
        'duplicate of ' || losers.winner  AS reason
    )
FROM crawldb JOIN losers ON losers.k = crawldb.k
WHERE losers.slot BETWEEN $lo::USMALLINT AND $hi::USMALLINT
