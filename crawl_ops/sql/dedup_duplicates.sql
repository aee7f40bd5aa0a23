-- All duplicates.
SELECT url FROM crawldb WHERE status = 'db_duplicate'
