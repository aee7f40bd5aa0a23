-- The attempt that counts for each URL of a fetch list.
SELECT k, attempt FROM crawl_fetch
