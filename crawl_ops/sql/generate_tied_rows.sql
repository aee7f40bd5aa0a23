-- Of a bucket that is one file, the selected URLs with one sort value: row groups without any are
-- passed over.
SELECT k, url
FROM crawldb
SEMI JOIN (
    SELECT row FROM selected
    WHERE sort_value = $value::FLOAT AND slot BETWEEN $lo::USMALLINT AND $hi::USMALLINT
) AS bordering USING (row)
WHERE score BETWEEN $least::FLOAT AND $most::FLOAT
