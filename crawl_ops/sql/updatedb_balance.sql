-- What became of the fetches of a bucket's known URLs that changed nothing.
SELECT
    count(*) FILTER (
        past.host = fetched.host AND fetched.fetch_time <= past.fetched_time
        AND past.fetched_time <= $believable::TIMESTAMPTZ
    )                                           AS ignored,
    count(*) FILTER (past.host <> fetched.host) AS key_collisions
FROM past JOIN fetched USING (k)
