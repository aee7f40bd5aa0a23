-- Hosts or domains with more candidates than they may have, the lowest sort value that all but
-- some of them reach, and how many of it there may be.
WITH crowded AS (
    SELECT key, min(sort_value) AS border FROM capped GROUP BY key HAVING count(*) > $max_count
)
SELECT key, border, $max_count - count(*) FILTER (capped.sort_value > border) AS spare
FROM capped JOIN crowded USING (key)
GROUP BY key, border
