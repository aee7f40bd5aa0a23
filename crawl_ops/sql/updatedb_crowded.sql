-- Targets with more links than db.update.max.inlinks.
SELECT k FROM linked WHERE links > $max_inlinks
