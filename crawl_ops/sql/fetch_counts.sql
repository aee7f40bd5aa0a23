-- What became of the URLs of a fetch list.
SELECT fetch_status AS outcome, count(*) AS n
FROM crawl_fetch
GROUP BY ALL
UNION ALL
SELECT 'left.' || rule AS outcome, count(DISTINCT k) AS n
FROM rejected
WHERE step = 'fetch' AND from_url IS NULL AND k NOT IN (SELECT k FROM crawl_fetch)
GROUP BY ALL
ORDER BY outcome
