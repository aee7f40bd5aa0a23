-- Of those with one sort value, the URL at a place, from 0.
SELECT url FROM selected WHERE sort_value = $value::FLOAT ORDER BY url LIMIT 1 OFFSET $place
