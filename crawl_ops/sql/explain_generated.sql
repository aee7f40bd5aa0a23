-- The places of a URL in fetch lists.
SELECT segment, list, position, score, status, fetch_time, retries
FROM crawl_generate SEMI JOIN wanted USING (k, slot)
ORDER BY segment, list
