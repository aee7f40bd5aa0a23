-- The rows of a bucket that the seeds name.
SELECT * FROM crawldb SEMI JOIN (SELECT k FROM seeds WHERE slot BETWEEN $lo::USMALLINT AND $hi::USMALLINT) USING (k)
