-- What became of what a bucket was given.
SELECT
    if($additions_allowed, (SELECT count(*) FROM fresh), 0)
    + (SELECT count(*) FROM outcome ANTI JOIN past USING (k))        AS added,
    if($additions_allowed, 0, (SELECT count(*) FROM linked ANTI JOIN met USING (k))) AS not_added,
    (
        SELECT count(*) FROM past JOIN fetched USING (k)
        WHERE past.host = fetched.host AND fetched.fetch_time <= past.fetched_time
    )                                                                AS ignored,
    (
        SELECT count(*) FROM past JOIN fetched USING (k) WHERE past.host <> fetched.host
    )                                                                AS key_collisions
