-- Hosts of a bucket that a segment says something of, or whose URLs it has changed.
SELECT host FROM shifts WHERE slot BETWEEN $lo::USMALLINT AND $hi::USMALLINT
UNION
SELECT host FROM crawl_fetch WHERE slot BETWEEN $lo::USMALLINT AND $hi::USMALLINT
UNION
SELECT host FROM robots
WHERE slot BETWEEN $lo::USMALLINT AND $hi::USMALLINT AND outcome IN ('deferred', 'rules', 'allow_all')
