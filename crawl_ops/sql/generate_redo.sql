-- The URLs of a segment to ask for again: all, or those without an answer that counts.
SELECT g.k, g.slot, g.url, g.host, g.domain, g.score AS sort_value
FROM crawl_generate AS g LEFT JOIN crawl_fetch AS f ON f.k = g.k
WHERE $everything OR f.k IS NULL OR f.fetch_status IN ('fetch_retry', 'parse_failed')
ORDER BY sort_value DESC, url
