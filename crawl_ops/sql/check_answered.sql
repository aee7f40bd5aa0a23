-- Hosts that answered in a segment: any HTTP status is an answer, of a robots.txt that defers too.
SELECT DISTINCT host FROM crawl_fetch WHERE http_status IS NOT NULL
UNION
SELECT DISTINCT host FROM robots WHERE http_status IS NOT NULL AND outcome = 'deferred'
