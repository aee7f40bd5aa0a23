-- The URLs that a small round may change.
SELECT k, any_value(slot) AS slot
FROM (SELECT k, slot FROM crawl_parse UNION ALL SELECT k, slot FROM crawl_fetch)
GROUP BY k
