-- The first by URL, as many as there may be.
SELECT * FROM tied WHERE url <= (SELECT url FROM tied ORDER BY url LIMIT 1 OFFSET $place)
