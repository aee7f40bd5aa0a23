-- Selected URLs of a bucket that the filters have not been asked about.
SELECT k, url
FROM crawldb
SEMI JOIN (
    SELECT k
    FROM (SELECT * FROM selected WHERE slot BETWEEN $lo::USMALLINT AND $hi::USMALLINT)
    ANTI JOIN accepted USING (k)
) AS asked USING (k)
