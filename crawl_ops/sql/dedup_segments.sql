-- Segments that hold what the pages compared say of themselves.
SELECT DISTINCT segment FROM pages WHERE segment IS NOT NULL ORDER BY segment DESC
