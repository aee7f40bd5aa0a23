-- No URL, of the right type.
SELECT url FROM crawldb WHERE false
