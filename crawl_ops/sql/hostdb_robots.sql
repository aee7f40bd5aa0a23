-- The last good robots.txt answer of a host in a segment.
SELECT host, origin, fetch_time, outcome, content, crawl_delay_s FROM robots
WHERE slot BETWEEN $lo::USMALLINT AND $hi::USMALLINT AND outcome IN ('rules', 'allow_all')
QUALIFY row_number() OVER (PARTITION BY host ORDER BY fetch_time DESC, origin, attempt) = 1
