-- The fetches of some files that stay, now of one list.
SELECT rows.* REPLACE (0::SMALLINT AS list)
FROM rows SEMI JOIN kept
    ON kept.k = rows.k
    AND kept.attempt = rows.attempt
    AND kept.list = rows.list
    AND kept.fetch_time = rows.fetch_time
    AND kept.via IS NOT DISTINCT FROM rows.via
