-- What links say of a URL besides their share: the best sitemap and the best link with metadata.
SELECT
    k,
    max(bounded_share(score)) FILTER (kind = 'sitemap')             AS priority,
    arg_min(
        {'interval_s': interval_s, 'modified_time': if(modified_time <= $now::TIMESTAMPTZ, modified_time, NULL)},
        {'score': -bounded_share(score), 'from_url': from_url, 'position': position}
    ) FILTER (kind = 'sitemap')                                     AS sitemap,
    arg_min(
        metadata,
        {'score': -bounded_share(score), 'from_url': from_url, 'kind': kind, 'position': position}
    ) FILTER (metadata IS NOT NULL)                                 AS metadata
FROM (
    -- Apart, so that row groups without any can be skipped.
    SELECT * FROM crawl_parse WHERE slot BETWEEN $lo::USMALLINT AND $hi::USMALLINT AND kind = 'sitemap'
    UNION ALL
    SELECT * FROM crawl_parse WHERE slot BETWEEN $lo::USMALLINT AND $hi::USMALLINT AND metadata IS NOT NULL AND kind <> 'sitemap'
)
GROUP BY k
