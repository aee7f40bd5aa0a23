-- All duplicates there are.
SELECT url FROM crawldb WHERE status = 'db_duplicate'
