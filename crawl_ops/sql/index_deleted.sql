-- The pages of a segment that leave the index.
SELECT url FROM decided WHERE action = 'delete' ORDER BY url
