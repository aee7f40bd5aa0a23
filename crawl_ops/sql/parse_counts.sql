-- What parsing a fetch list came to.
SELECT parse_status AS outcome, count(*) AS n
FROM parse_data
GROUP BY ALL
UNION ALL
SELECT 'links' AS outcome, count(*) AS n
FROM crawl_parse
ORDER BY outcome
