-- The URLs that an open segment holds.
SELECT * FROM crawl_generate
