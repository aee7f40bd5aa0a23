-- The links of a bucket to new URLs, with these as text.
SELECT k, to_url, to_host, to_domain
FROM crawl_parse SEMI JOIN fresh USING (k)
WHERE slot BETWEEN $lo::USMALLINT AND $hi::USMALLINT
