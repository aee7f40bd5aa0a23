-- How many rows a bucket must have after the update, and what became of those given.
WITH fresh AS (
    SELECT k FROM linked WHERE $additions_allowed
    UNION ALL
    SELECT k FROM outcome ANTI JOIN linked USING (k)
)
SELECT
    (SELECT count(*) FROM crawldb)                                   AS old,
    (SELECT count(*) FROM known)                                     AS known,
    (SELECT count(*) FROM fresh ANTI JOIN known USING (k))           AS added,
    (
        SELECT count(*) FROM known JOIN fetched USING (k)
        WHERE known.url = fetched.url AND fetched.fetch_time <= known.fetched_time
    )                                                                AS ignored,
    (SELECT count(*) FROM linked ANTI JOIN known USING (k) WHERE NOT $additions_allowed) AS not_added,
    (
        SELECT count(*) FROM known JOIN (SELECT k, url FROM linked UNION ALL SELECT k, url FROM fetched) AS new
        USING (k) WHERE known.url <> new.url
    )                                                                AS key_collisions
