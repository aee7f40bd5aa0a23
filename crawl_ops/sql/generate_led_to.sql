-- The URLs that the links of a segment name.
SELECT DISTINCT k FROM crawl_parse
