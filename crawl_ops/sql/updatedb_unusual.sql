-- Slots of URLs that have links whose shares need exact sums of their own (scoring/shares).
SELECT DISTINCT slot FROM crawl_parse WHERE NOT is_usual(score)
