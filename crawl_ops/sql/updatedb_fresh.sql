-- Targets of links that the crawldb does not know and that were not fetched either.
SELECT * FROM linked ANTI JOIN met USING (k) ANTI JOIN outcome USING (k)
