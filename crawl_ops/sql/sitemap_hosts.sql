-- The hosts whose robots.txt was had, with the last good copy.
SELECT robots_origin, robots_content
FROM hostdb
WHERE robots_origin IS NOT NULL
ORDER BY host
