-- How many rows a bucket must have after the update, and what became of those given.
WITH unknown AS (SELECT k FROM linked ANTI JOIN known USING (k))
SELECT
    (SELECT count(*) FROM crawldb)                                   AS old,
    (SELECT count(*) FROM known)                                     AS known,
    if($additions_allowed, (SELECT count(*) FROM unknown), 0)
    + (SELECT count(*) FROM outcome ANTI JOIN known USING (k) ANTI JOIN linked USING (k)) AS added,
    if($additions_allowed, 0, (SELECT count(*) FROM unknown))        AS not_added,
    (
        SELECT count(*) FROM known JOIN fetched USING (k)
        WHERE known.url = fetched.url AND fetched.fetch_time <= known.fetched_time
    )                                                                AS ignored,
    (
        SELECT count(*) FROM known JOIN fetched USING (k) WHERE known.url <> fetched.url
    )                                                                AS key_collisions
