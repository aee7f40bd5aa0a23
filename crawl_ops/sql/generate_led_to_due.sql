-- How many of the URLs that a segment's links name are due.
SELECT count(*) AS urls
FROM crawldb SEMI JOIN led_to USING (k)
WHERE fetch_time <= $cur_time::TIMESTAMPTZ
