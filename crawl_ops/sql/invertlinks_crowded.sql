-- Targets with more links than linkdb.max.inlinks.
SELECT k FROM united GROUP BY k HAVING count(*) > $max_inlinks
