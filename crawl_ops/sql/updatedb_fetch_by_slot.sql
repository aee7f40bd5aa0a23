-- crawl_fetch in the order of buckets: as it was fetched, every bucket would read all of it.
SELECT * FROM crawl_fetch WHERE slot BETWEEN $lo::USMALLINT AND $hi::USMALLINT ORDER BY slot
