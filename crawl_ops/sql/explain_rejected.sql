-- Where a URL went no further, by rule.
SELECT segment, step, rule, detail, count(*) AS n, min(from_url) AS from_url, min(time) AS time
FROM rejected SEMI JOIN (SELECT k FROM wanted) USING (k)
GROUP BY segment, step, rule, detail
ORDER BY segment, time, step, rule, detail
