-- Fetched URLs of a bucket by their new status.
SELECT status, count(*) AS urls FROM outcome GROUP BY status ORDER BY status
