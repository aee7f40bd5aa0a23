-- Rows of fetch lists that are still open, by status; the attempt tells what is counted elsewhere.
SELECT segment, list, attempt, fetch_status, count(*) AS urls
FROM crawl_fetch
GROUP BY ALL
ORDER BY ALL
