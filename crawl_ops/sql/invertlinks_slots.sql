-- Which slots the links of a segment lead to.
SELECT slot, count(*) AS n
FROM crawl_parse
WHERE kind IN ('link', 'feed')
    AND NOT ($ignore_internal AND to_host = from_host)
    AND NOT ($ignore_external AND to_host <> from_host)
GROUP BY slot
ORDER BY slot
