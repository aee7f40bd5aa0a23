-- Which slots the links of a segment lead to.
SELECT slot, count(*) AS n
FROM crawl_parse
WHERE kind IN ('link', 'feed')
GROUP BY slot
