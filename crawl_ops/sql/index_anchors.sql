-- The anchors of links to the pages of a segment, in the order of their sources.
SELECT k, list(anchor ORDER BY from_url, anchor) AS anchors
FROM (
    SELECT DISTINCT k, from_host, from_url, anchor
    FROM linkdb SEMI JOIN keys USING (k)
    WHERE anchor <> ''
    QUALIFY row_number() OVER (PARTITION BY k, from_host, anchor ORDER BY from_url) = 1
)
GROUP BY k
