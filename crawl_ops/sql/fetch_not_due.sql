-- Keys of a host's URLs that are not due at $now.
SELECT k FROM crawldb WHERE host = $host AND fetch_time > $now LIMIT $most
