-- URLs by status, and by retries.
SELECT status, retries, count(*) AS urls FROM crawldb GROUP BY status, retries ORDER BY status, retries
