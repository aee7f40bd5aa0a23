-- What a segment's parse says of pages that nothing is known of yet: canonical URL, noindex.
SELECT pages.k, parse_data.canonical_url, parse_data.noindex
FROM parse_data
JOIN pages ON pages.k = parse_data.k
ANTI JOIN described ON described.k = pages.k
WHERE pages.segment = $segment OR ($older AND pages.status = 'db_notmodified')
QUALIFY row_number() OVER (
    PARTITION BY pages.k ORDER BY parse_data.fetch_time DESC, parse_data.canonical_url
) = 1
