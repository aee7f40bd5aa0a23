-- The crawldb row of one URL.
SELECT * FROM crawldb WHERE host = $host AND url = $url
