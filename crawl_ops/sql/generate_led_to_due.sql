-- How many of the URLs that a segment's links name are due.
SELECT count(*) AS urls
FROM crawldb SEMI JOIN led_to USING (k)
WHERE NOT (
    fetch_time > $cur_time::TIMESTAMPTZ
    AND fetch_time <= $cur_time::TIMESTAMPTZ + to_seconds($interval_max)
)
