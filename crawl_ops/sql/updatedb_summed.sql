-- `linked` where some shares are not usual.
SELECT
    k,
    summed_shares(share)                                AS share,
    min(link_order(kind))                               AS kind,
    min(link_way(depth, max_depth))                     AS way,
    count(*)                                            AS links
FROM (
    SELECT
        k, kind, depth, max_depth,
        if(kind IN ('canonical', 'sitemap'), 0::FLOAT, bounded_share(score)) AS share
    FROM crawl_parse
    WHERE slot BETWEEN $lo::USMALLINT AND $hi::USMALLINT
)
GROUP BY k
