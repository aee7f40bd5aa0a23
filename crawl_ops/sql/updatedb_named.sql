-- The new URLs of a bucket as text.
SELECT
    k,
    any_value(slot)      AS slot,
    any_value(to_url)    AS url,
    any_value(to_host)   AS host,
    any_value(to_domain) AS domain
FROM crawl_parse SEMI JOIN fresh USING (k)
WHERE slot BETWEEN $lo::USMALLINT AND $hi::USMALLINT
GROUP BY k
