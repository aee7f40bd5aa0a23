-- What the links of a segment come to for a URL: one row a target (Nutch rules 10.2 and 12).
SELECT
    k,
    linked_shares(share)                                AS share,
    min(link_order(kind))                               AS kind,
    min(link_way(depth, max_depth))                     AS way,
    count(*)                                            AS links
FROM (
    SELECT
        k, kind, depth, max_depth,
        -- A canonical link names a page, it does not vote for it; a sitemap's priority is no share.
        if(kind IN ('canonical', 'sitemap'), 0::FLOAT, linked_share(score)) AS share
    FROM crawl_parse
    WHERE slot BETWEEN $lo::USMALLINT AND $hi::USMALLINT
)
GROUP BY k
