-- The new rows of a crawldb bucket after one segment: from links, and fetched ones that were not known.
FROM added
UNION ALL
FROM (SELECT * FROM outcome ANTI JOIN past USING (k))
ORDER BY host, url
