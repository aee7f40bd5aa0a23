-- The links of a bucket, old and new: each target, source and anchor once.
SELECT
    k,
    any_value(slot)      AS slot,
    any_value(to_url)    AS to_url,
    from_k,
    any_value(from_url)  AS from_url,
    any_value(from_host) AS from_host,
    anchor,
    min(first_segment)   AS first_segment,
    max(last_segment)    AS last_segment
FROM (SELECT * FROM linkdb UNION ALL SELECT * FROM links)
GROUP BY k, from_k, anchor
