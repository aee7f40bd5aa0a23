-- The seeds of a bucket.
SELECT * FROM seeds WHERE slot BETWEEN $lo::USMALLINT AND $hi::USMALLINT
