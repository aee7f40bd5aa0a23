-- The URLs that an open segment holds.
SELECT k FROM crawl_generate
