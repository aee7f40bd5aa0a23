-- Targets of links that the crawldb does not know and that were not fetched either.
SELECT k, share, kind, way FROM matched ANTI JOIN outcome USING (k) WHERE NOT known
