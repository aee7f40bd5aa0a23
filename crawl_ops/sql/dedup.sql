-- A bucket of the crawldb with its duplicates marked. Only status and reason change.
SELECT
    crawldb.* REPLACE (
        if(losers.k IS NULL, crawldb.status, 'db_duplicate')                    AS status,
        if(losers.k IS NULL, crawldb.reason, 'duplicate of ' || losers.winner)  AS reason
    )
FROM crawldb LEFT JOIN losers ON losers.k = crawldb.k
ORDER BY crawldb.host, crawldb.url
