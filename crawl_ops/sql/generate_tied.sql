-- Of a bucket, the selected URLs with one sort value.
SELECT k, url
FROM crawldb
SEMI JOIN (
    SELECT k FROM selected
    WHERE sort_value = $value::FLOAT AND slot BETWEEN $lo::USMALLINT AND $hi::USMALLINT
) AS bordering USING (k)
WHERE score BETWEEN $least::FLOAT AND $most::FLOAT
