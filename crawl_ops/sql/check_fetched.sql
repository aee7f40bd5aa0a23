-- What a segment's fetch came to, a row a URL. $mine: the run itself asked for it, not another that redid it.
SELECT k, fetch_status, fetch_time, $mine::BOOLEAN AS mine FROM crawl_fetch
