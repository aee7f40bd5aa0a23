-- Why a URL went no further, as the newest segment says that has something to say of it.
SELECT * EXCLUDE (segment)
FROM rejected SEMI JOIN (
    SELECT k, max(segment) AS segment FROM rejected GROUP BY k
) AS newest USING (k, segment)
ORDER BY time, k, step, rule, from_url, url
