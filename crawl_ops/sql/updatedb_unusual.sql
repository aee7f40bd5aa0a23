-- Whether some shares of a bucket's links may need exact sums of their own (scoring/shares).
SELECT count(*) > 0 AS unusual FROM crawl_parse
WHERE slot BETWEEN $lo::USMALLINT AND $hi::USMALLINT AND NOT is_usual(score)
