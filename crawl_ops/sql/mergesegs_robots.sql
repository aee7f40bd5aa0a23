-- The newest answer of each robots.txt.
SELECT * EXCLUDE (segment)
FROM robots
QUALIFY row_number() OVER (PARTITION BY origin ORDER BY fetch_time DESC, segment DESC, attempt) = 1
ORDER BY origin
