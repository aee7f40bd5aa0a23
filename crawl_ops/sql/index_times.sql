-- When the first and the last page of a segment were fetched.
SELECT min(fetch_time) AS first, max(fetch_time) AS last FROM crawl_fetch
