-- What the links of a segment come to for a URL: one row a target (Nutch rules 10.2 and 12).
WITH counted AS (
    SELECT * FROM crawl_parse ANTI JOIN crowded USING (k) WHERE slot BETWEEN $lo AND $hi
    UNION ALL
    (
        SELECT * FROM crawl_parse SEMI JOIN crowded USING (k) WHERE slot BETWEEN $lo AND $hi
        QUALIFY row_number() OVER (
            PARTITION BY k ORDER BY bounded_share(score) DESC, from_url, kind, position
        ) <= $max_inlinks
    )
)
SELECT
    k,
    any_value(slot)                                     AS slot,
    any_value(to_url)                                   AS url,
    any_value(to_host)                                  AS host,
    any_value(to_domain)                                AS domain,
    -- A canonical link names a page, it does not vote for it; a sitemap's priority is no share.
    summed_shares(if(kind IN ('canonical', 'sitemap'), 0::FLOAT, bounded_share(score))) AS share,
    min(CASE kind
        WHEN 'link' THEN 1 WHEN 'feed' THEN 2 WHEN 'sitemap' THEN 3
        WHEN 'redirect' THEN 4 WHEN 'refresh' THEN 5 ELSE 6
    END)                                                AS kind,
    -- Fewest links from a seed first, then the furthest maximum, as one number.
    min(depth::BIGINT * 2147483648 - coalesce(max_depth, 0)) AS way
FROM counted
GROUP BY k
