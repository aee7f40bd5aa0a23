-- Documents whose page the crawldb does not know, or says that it may not be there. A page whose
-- fetch has failed for now (db_unfetched) may stay.
SELECT indexed.url
FROM indexed ANTI JOIN (
    SELECT url FROM crawldb WHERE status IN ('db_fetched', 'db_notmodified', 'db_unfetched')
) AS fit USING (url)
