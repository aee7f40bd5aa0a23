-- Answers of several passes, each URL as it was last had.
SELECT * FROM passes
QUALIFY fetch_time = max(fetch_time) OVER (PARTITION BY k)
