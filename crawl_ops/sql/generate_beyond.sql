-- Candidates with the lowest sort value of a crowded host that come, by URL, after the last it may have.
SELECT k
FROM crawldb
JOIN (
    SELECT k, key, spare FROM capped JOIN crowded USING (key) WHERE sort_value = border
) AS tied USING (k)
WHERE score >= $least::FLOAT
QUALIFY row_number() OVER (PARTITION BY key ORDER BY url) > spare
