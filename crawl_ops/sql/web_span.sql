-- When the first and the last page of some segments came.
SELECT epoch(min(fetch_time)) AS first, epoch(max(fetch_time)) AS last FROM crawl_fetch
