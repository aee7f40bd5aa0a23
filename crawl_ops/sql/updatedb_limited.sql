-- `linked` with the best links only of targets that have too many.
WITH best AS (
    SELECT * FROM crawl_parse SEMI JOIN crowded USING (k)
    WHERE slot BETWEEN $lo::USMALLINT AND $hi::USMALLINT
    QUALIFY row_number() OVER (
        PARTITION BY k ORDER BY bounded_share(score) DESC, from_url, kind, position
    ) <= $max_inlinks
)
SELECT * FROM linked ANTI JOIN crowded USING (k)
UNION ALL
SELECT
    k,
    summed_shares(if(kind IN ('canonical', 'sitemap'), 0::FLOAT, bounded_share(score))) AS share,
    min(link_order(kind))                               AS kind,
    min(link_way(depth, max_depth))                     AS way,
    count(*)                                            AS links
FROM best
GROUP BY k
