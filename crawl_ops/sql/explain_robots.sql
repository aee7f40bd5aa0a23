-- The robots.txt answers of a host, newest first.
SELECT origin, fetch_time, http_status, outcome, reason, crawl_delay_s, content
FROM robots
WHERE slot = $slot::USMALLINT AND host = $host
ORDER BY fetch_time DESC, origin, attempt
LIMIT 100
