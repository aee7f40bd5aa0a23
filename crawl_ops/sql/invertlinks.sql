-- A bucket of the linkdb with new links: each target, source and anchor once, and not too many a target.
WITH united AS (
    SELECT * FROM linkdb
    UNION ALL
    SELECT * FROM links
),
once AS (
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
    FROM united
    GROUP BY k, from_k, anchor
)
SELECT *
FROM once
QUALIFY row_number() OVER (PARTITION BY k ORDER BY from_url, anchor) <= $max_inlinks
ORDER BY k, from_url, anchor
