-- What was found on one side only, in order.
SELECT url FROM differing ORDER BY url LIMIT $most
