-- Slots of URLs of which links say more than their share (updatedb_described).
SELECT DISTINCT slot FROM crawl_parse WHERE kind = 'sitemap' OR metadata IS NOT NULL
