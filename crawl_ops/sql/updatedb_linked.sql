-- What the links of a segment come to for a URL: one row a target (Nutch rules 10.2 and 12).
SELECT
    k,
    linked_shares(share)                                AS share,
    min(kind)::INTEGER                                  AS kind,
    min(way)                                            AS way,
    count(*)                                            AS links
FROM (
    SELECT
        k,
        kind,
        link_way(depth, max_depth)                      AS way,
        -- A canonical link names a page, it does not vote for it; a sitemap's priority is no share.
        if(kind IN (link_order('canonical'), link_order('sitemap')), 0::FLOAT, linked_share(score)) AS share
    FROM (
        -- Words are compared once, and counted as small numbers.
        SELECT k, link_order(kind)::TINYINT AS kind, depth, max_depth, score
        FROM crawl_parse
        WHERE slot BETWEEN $lo::USMALLINT AND $hi::USMALLINT
    )
)
GROUP BY k
