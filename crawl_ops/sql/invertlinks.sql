-- A bucket of the linkdb with new links: each target, source and anchor once, and not too many a target.
SELECT * FROM united ANTI JOIN crowded USING (k)
UNION ALL
(
    SELECT * FROM united SEMI JOIN crowded USING (k)
    QUALIFY row_number() OVER (PARTITION BY k ORDER BY from_url, anchor) <= $max_inlinks
)
ORDER BY k, from_url, anchor
