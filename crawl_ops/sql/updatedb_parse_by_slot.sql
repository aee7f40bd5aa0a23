-- What updatedb reads of parse_data, in the order of buckets.
SELECT k, slot, attempt, parse_status, reason, signature, fetch_time, metadata
FROM parse_data
WHERE slot BETWEEN $lo::USMALLINT AND $hi::USMALLINT
ORDER BY slot
