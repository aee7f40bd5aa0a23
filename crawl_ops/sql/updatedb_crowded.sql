-- Targets with more links than db.update.max.inlinks.
SELECT k FROM crawl_parse WHERE slot BETWEEN $lo AND $hi GROUP BY k HAVING count(*) > $max_inlinks
