-- The last good robots.txt of the hosts of a fetch.
SELECT robots_origin, robots_content, robots_time
FROM hostdb SEMI JOIN hosts USING (host)
WHERE robots_content IS NOT NULL
