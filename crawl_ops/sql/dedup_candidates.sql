-- Pages of a bucket that may have a duplicate, with what is compared, sorted so that those with one
-- signature are found together.
SELECT
    k,
    slot,
    url,
    signature,
    CASE $group_mode WHEN 'host' THEN host WHEN 'domain' THEN domain ELSE '' END AS scope,
    status,
    segment,
    score,
    fetch_time,
    hash(signature)                                                              AS part
FROM crawldb
WHERE status IN ('db_fetched', 'db_notmodified')
    AND signature IS NOT NULL
    AND part IN (SELECT part FROM signatures)
ORDER BY part
