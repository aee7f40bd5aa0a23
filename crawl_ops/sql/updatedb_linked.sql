-- What the links of a segment say of a URL: one row a target (Nutch rules 10.2 and 12).
WITH counted AS (
    SELECT * FROM crawl_parse ANTI JOIN crowded USING (k) WHERE slot BETWEEN $lo AND $hi
    UNION ALL
    (
        SELECT * FROM crawl_parse SEMI JOIN crowded USING (k) WHERE slot BETWEEN $lo AND $hi
        QUALIFY row_number() OVER (
            PARTITION BY k ORDER BY bounded_share(score) DESC, from_url, kind, position
        ) <= $max_inlinks
    )
),
shared AS (
    SELECT
        *,
        -- A canonical link names a page, it does not vote for it; a sitemap's priority is no share.
        if(kind IN ('canonical', 'sitemap'), 0::FLOAT, bounded_share(score)) AS share,
        -- Fewest links from a seed first, then the furthest maximum, as one number.
        depth::BIGINT * 2147483648 - coalesce(max_depth, 0)                  AS way
    FROM counted
)
SELECT
    k,
    any_value(slot)                                                 AS slot,
    any_value(to_url)                                               AS url,
    any_value(to_host)                                              AS host,
    any_value(to_domain)                                            AS domain,
    count(*)                                                        AS links,
    summed_shares(share)                                            AS share,
    coalesce(max(bounded_share(score)) FILTER (kind = 'sitemap'), 0) AS priority,
    min(CASE kind
        WHEN 'link' THEN '1link' WHEN 'feed' THEN '2feed' WHEN 'sitemap' THEN '3sitemap'
        WHEN 'redirect' THEN '4redirect' WHEN 'refresh' THEN '5refresh' ELSE '6canonical'
    END)[2:]                                                        AS kind,
    ceil(min(way) / 2147483648)::INTEGER                            AS depth,
    nullif(ceil(min(way) / 2147483648)::BIGINT * 2147483648 - min(way), 0)::INTEGER AS max_depth,
    arg_min(
        {'interval_s': interval_s, 'modified_time': if(modified_time <= $now, modified_time, NULL)},
        {'score': -bounded_share(score), 'from_url': from_url, 'position': position}
    ) FILTER (kind = 'sitemap')                                     AS sitemap,
    arg_min(
        metadata,
        {'score': -bounded_share(score), 'from_url': from_url, 'kind': kind, 'position': position}
    ) FILTER (metadata IS NOT NULL)                                 AS metadata
FROM shared
GROUP BY k
